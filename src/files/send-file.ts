import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Blobs } from '../blobs/blobs.ts';
import { type ByteRange, readByteRange } from '../lib/byte-range.ts';
import { attachmentDisposition } from '../lib/content-disposition.ts';
import { AppError } from '../lib/errors.ts';
import type { StoredFile } from './queries.ts';

/**
 * Headers for what strangers wrote: a browser saves it and never shows it, guesses no other type, and would run nothing of
 * it even if it did show it.
 */
export function asDownload(
  reply: FastifyReply,
  { fileName, contentType }: Pick<StoredFile, 'fileName' | 'contentType'>,
) {
  return reply
    .type(servedType(contentType))
    .header('content-disposition', attachmentDisposition(fileName))
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "sandbox; default-src 'none'")
    .header('cache-control', 'private, no-cache');
}

/** The types that a browser runs as a script or applies as a style sheet (WHATWG MIME Sniffing §4.6). */
const runnable = /(?:java|ecma|j|live)script|^text\/css$/;

/** Our pages may load scripts and styles of our own origin, so no file of a stranger is served as either. */
function servedType(contentType: string): string {
  if (runnable.test(contentType)) return 'text/plain';
  const isType = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/.test(contentType);
  return isType ? contentType : 'application/octet-stream';
}

/** Streams a stored file, or the part of it that `Range` asks for. Its hash is its ETag, as its bytes never change. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    blobs,
    workspaceId,
    file,
    cacheControl,
  }: { blobs: Blobs; workspaceId: string; file: StoredFile; cacheControl?: string },
): Promise<FastifyReply> {
  const { sizeBytes, sha256 } = file;
  const etag = `"${sha256}"`;
  reply.header('etag', etag).header('accept-ranges', 'bytes');
  if (isNamed(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const range = wantedRange(request, etag, sizeBytes);
  if (range === 'unsatisfiable') {
    throw new AppError('request.range_not_satisfiable', {}, { headers: { 'content-range': `bytes */${sizeBytes}` } });
  }
  // HEAD reads what it would send, and throws it away.
  const content = request.method === 'HEAD' ? Readable.from([]) : await blobs.open(workspaceId, sha256, range);
  if (content === undefined) throw new Error(`the blob ${sha256} is missing`);
  asDownload(reply, file);
  if (cacheControl !== undefined) reply.header('cache-control', cacheControl);
  if (range === undefined) return reply.header('content-length', sizeBytes).send(content);
  return reply
    .code(206)
    .header('content-range', `bytes ${range.start}-${range.end}/${sizeBytes}`)
    .header('content-length', range.end - range.start + 1)
    .send(content);
}

/** RFC 9110 §13.1.5: with an `If-Range` that names another version, the range is not meant. */
function wantedRange(
  request: FastifyRequest,
  etag: string,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const ifRange = request.headers['if-range'];
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  return readByteRange(request.headers.range, sizeBytes);
}

function isNamed(header: string | undefined, etag: string): boolean {
  return (
    header !== undefined &&
    (header.trim() === '*' || header.split(/\s*,\s*/).some((tag) => tag.replace(/^W\//, '') === etag))
  );
}
