import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Blobs } from '../../ground/blobs/blobs.ts';
import { type ByteRange, readByteRange } from '../../ground/lib/byte-range.ts';
import { attachmentDisposition } from '../../ground/lib/content-disposition.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { StoredFile } from './queries.ts';

/**
 * Sets headers for untrusted files. A browser saves the file instead of showing it, and does not guess another type.
 * Even if a browser did show the file, it would run nothing in it.
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

/** Kontor's pages may load scripts and styles from their origin, so untrusted files are never served as either. */
function servedType(contentType: string): string {
  if (runnable.test(contentType)) return 'text/plain';
  const isType = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/.test(contentType);
  return isType ? contentType : 'application/octet-stream';
}

/** Streams a stored file, or the part that `Range` asks for. The hash is the ETag, because the bytes never change. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    blobs,
    workspaceId,
    file,
    cacheControl,
  }: { blobs: Blobs; workspaceId: WorkspaceId; file: StoredFile; cacheControl?: string },
): Promise<FastifyReply> {
  const { sizeBytes, sha256 } = file;
  const etag = `"${sha256}"`;
  reply.header('etag', etag).header('accept-ranges', 'bytes');
  if (isNamed(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const range = wantedRange(request, etag, sizeBytes);
  if (range === 'unsatisfiable') {
    throw new AppError('request.range_not_satisfiable', {}, { headers: { 'content-range': `bytes */${sizeBytes}` } });
  }
  // Fastify reads the body of a HEAD answer and discards it, so do not open the blob.
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

/** RFC 9110 §13.1.5: an `If-Range` that names another version turns the range off. */
function wantedRange(
  request: FastifyRequest,
  etag: string,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const ifRange = request.headers['if-range'];
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  return readByteRange(request.headers.range, sizeBytes);
}

/** Browsers send one entity tag. */
const tagsMax = 100;

function isNamed(header: string | undefined, etag: string): boolean {
  return (
    header !== undefined &&
    (header.trim() === '*' || header.split(',', tagsMax).some((tag) => tag.trim().replace(/^W\//, '') === etag))
  );
}
