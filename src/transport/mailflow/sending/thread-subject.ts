import { decodeWords, oneLine } from '@kontor/mail/encoded-words.ts';
import { fieldOf, readHeaderBlock } from '@kontor/mail/header-fields.ts';
import type { Blobs } from '../../../ground/blobs/blobs.ts';
import type { WorkspaceId } from '../../../ground/lib/ids.ts';

/** Reads only the beginning of the mail. Nearly every header is much shorter. */
const headBytesMax = 256 * 1024;

/**
 * Reads the subject from a stored mail's header. Mail programs and providers need this subject to keep a thread
 * together, and the ticket may have been renamed.
 * @param sha256 of the raw mail
 * @returns undefined when the mail has no subject or is no longer stored
 */
export async function readThreadSubject(
  { packed }: Pick<Blobs, 'packed'>,
  workspaceId: WorkspaceId,
  sha256: string,
): Promise<string | undefined> {
  const stream = await packed.open(workspaceId, sha256);
  if (stream === undefined) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    // Leaving the loop closes the stream.
    if (bytes >= headBytesMax) break;
  }
  const head = Buffer.concat(chunks);
  const subject = fieldOf(readHeaderBlock(head, 0, head.length).fields, 'subject');
  return subject === null ? undefined : oneLine(decodeWords(subject));
}
