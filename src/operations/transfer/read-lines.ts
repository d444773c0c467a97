import { createReadStream } from 'node:fs';

/** A line of a file, or why it cannot be read. `number` counts from 1. */
export type Line = { number: number; text: string } | { number: number; fault: string };

const newline = 0x0a;
/** A message with the longest texts takes some megabytes. */
const lineBytesMax = 64 * 1024 ** 2;

/**
 * The lines of a file that others wrote: of any length, in any encoding, with or without an end. A last line without a
 * newline is a fault, because its file was cut off. A missing file has no lines.
 */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let number = 1;
  let pieces: Buffer[] = [];
  let bytes = 0;
  const take = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= lineBytesMax) pieces.push(piece);
    else pieces = [];
  };
  const end = (): Line => {
    const line = bytes > lineBytesMax ? { number, fault: 'is too long' } : decoded(number, Buffer.concat(pieces));
    number += 1;
    pieces = [];
    bytes = 0;
    return line;
  };
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        take(chunk.subarray(from, at));
        yield end();
        from = at + 1;
      }
      take(chunk.subarray(from));
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') yield { number, fault: `cannot be read: ${message}` };
    return;
  }
  if (bytes > 0) yield { number, fault: 'is cut off' };
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(number: number, bytes: Buffer): Line {
  try {
    return { number, text: decoder.decode(bytes) };
  } catch {
    return { number, fault: 'is not UTF-8' };
  }
}
