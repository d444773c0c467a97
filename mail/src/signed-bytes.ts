/** Prepares the bytes of a mail for the verification of DKIM and ARC signatures. */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Real mail has one or two signatures of its sender's organisation. Each costs a look-up, and perhaps a pass over the
 * body.
 */
const signaturesMax = 4;
const headerBytesMax = 256 * 1024;

/**
 * Streams the mail without the DKIM signatures of other domains, and with at most `signaturesMax` wanted signatures.
 * @param isWanted whether to keep a signature of this domain
 * @returns undefined when no signature is left, or when the header is too large
 */
export function onlySignaturesOf(bytes: Buffer, isWanted: (domain: string) => boolean): Readable | undefined {
  const bodyStart = endOfHeader(bytes);
  if (bodyStart > headerBytesMax) return undefined;
  const fields = fieldsOf(bytes, bodyStart);
  let count = 0;
  const kept = fields.filter((field) => {
    if (!/^dkim-signature[ \t]*:/i.test(field)) return true;
    const domain = /[;:]\s*d\s*=\s*([^;]*)/i.exec(field)?.[1]?.replace(/\s/g, '') ?? '';
    return domain !== '' && isWanted(domain) && ++count <= signaturesMax;
  });
  if (count === 0) return undefined;
  return asSigned(Buffer.from(kept.join(''), 'latin1'), bytes.subarray(bodyStart));
}

/**
 * The names of the header fields as a verifier of signatures reads them, in lower case. It repairs nothing, unlike
 * `readHeaderBlock`. So if the two lists differ, the mail may show fields that nobody signed.
 * @returns undefined when the header is too large
 */
export function strictFieldNames(bytes: Buffer): string[] | undefined {
  const bodyStart = endOfHeader(bytes);
  if (bodyStart > headerBytesMax) return undefined;
  return fieldsOf(bytes, bodyStart)
    .filter((field) => field.trim() !== '')
    .map((field) => field.split(':', 1).join('').replace(/\r?\n/g, '').trim().toLowerCase());
}

function fieldsOf(bytes: Buffer, bodyStart: number): string[] {
  return bytes.toString('latin1', 0, bodyStart).split(/(?<=\n)(?![ \t])/);
}

const chunkBytes = 64 * 1024;

/**
 * Streams the bytes in chunks with CRLF line ends, as signers see them. Yields to the event loop between chunks.
 * Without CRLF the verifier would process each line as a chunk of its own.
 */
export function asSigned(...parts: readonly Buffer[]): Readable {
  return Readable.from(chunksOf(parts), { objectMode: false });
}

async function* chunksOf(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  let last = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; at += chunkBytes) {
      const chunk = part.subarray(at, at + chunkBytes);
      yield withCrlf(chunk, last);
      last = chunk.at(-1) ?? last;
      await nextTurn();
    }
  }
}

function withCrlf(chunk: Buffer, before: number): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) {
    if ((at === 0 ? before : chunk[at - 1]) === 0x0d) continue;
    pieces.push(chunk.subarray(from, at), CRLF);
    from = at + 1;
  }
  return pieces.length === 0 ? chunk : Buffer.concat([...pieces, chunk.subarray(from)]);
}

const CRLF = Buffer.from('\r\n');

/**
 * Returns the offset after the first empty line. Searches only up to `headerBytesMax`, because a search through 30 MB
 * of short lines would block the event loop for 40 ms.
 */
function endOfHeader(bytes: Buffer): number {
  const searched = bytes.subarray(0, headerBytesMax + 2);
  const crlf = searched.indexOf('\n\r\n');
  const lf = searched.indexOf('\n\n');
  const ends = [...(crlf === -1 ? [] : [crlf + 3]), ...(lf === -1 ? [] : [lf + 2])];
  return ends.length === 0 ? bytes.length : Math.min(...ends);
}
