import type { Multipart } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { Blobs } from '../blobs/blobs.ts';
import type { Spooled } from '../blobs/spool.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { cleanFileName } from '../lib/file-name.ts';
import { contentTypeOf } from './content-type.ts';

/** A file that came in whole, not yet kept. */
export type Upload = { fileName: string; contentType: string; bytes: Spooled };

/** What a form has around its file: boundaries, headers, and fields that nobody reads. */
const formBytesMax = 64 * 1024;

/**
 * Reads a form with one part `file`, streaming it to disk. What becomes the request's body is its name and hash: by them a
 * repeat is known.
 * @param beforeReading looks whether the file is wanted, before anything of it is read; throws when it is not
 */
export async function readUpload(
  request: FastifyRequest,
  { blobs, bytesMax, beforeReading }: { blobs: Blobs; bytesMax: number; beforeReading(): Promise<void> },
): Promise<Upload> {
  if (!request.isMultipart()) throw fileFault('is required');
  if (Number(request.headers['content-length'] ?? 0) > bytesMax + formBytesMax) throw new AppError('request.too_large');
  await beforeReading();
  await using found = new AsyncDisposableStack();
  let upload: Upload | undefined;
  for await (const part of partsOf(request)) {
    if (part.fieldname !== 'file') {
      if (part.type === 'file') throw fileFault('is the one name that a file may have');
      continue;
    }
    if (part.type !== 'file') throw fileFault('must be a file');
    if (upload !== undefined) throw fileFault('must be one file');
    const bytes = found.use(await blobs.spool(limited(part.file, bytesMax)));
    const contentType = await contentTypeOf(bytes.head, part.mimetype);
    upload = { fileName: cleanFileName(unescaped(part.filename ?? '')) ?? 'file', contentType, bytes };
  }
  if (upload === undefined) throw fileFault('is required');
  // From here on it is the caller's to dispose of.
  found.move();
  request.body = { fileName: upload.fileName, sha256: upload.bytes.sha256 };
  return upload;
}

function fileFault(message: string): AppError {
  return invalidRequest({ path: 'body.file', message });
}

/** A form that cannot be read, or whose sender has gone, is a fault of the request. */
async function* partsOf(request: FastifyRequest): AsyncGenerator<Multipart> {
  const parts = request.parts();
  for (;;) {
    const { value: part, done } = await parts.next().catch((error: unknown) => {
      throw asFormFault(error);
    });
    if (done) return;
    yield part;
  }
}

async function* limited(file: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of file) {
      size += chunk.length;
      if (size > bytesMax) throw new AppError('request.too_large');
      yield chunk;
    }
  } catch (error) {
    throw asFormFault(error);
  }
}

function asFormFault(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const isTooMuch = (error as { statusCode?: number }).statusCode === 413;
  if (isTooMuch) return new AppError('request.too_large', {}, { cause: error });
  const issues = [{ path: 'body', message: 'is no well-formed form' }];
  return new AppError('request.invalid', { issues }, { cause: error });
}

/** Browsers write the three characters so that would end the name's line; a name that holds them as text is rare. */
function unescaped(fileName: string): string {
  return fileName.replace(/%22/g, '"').replace(/%0D/gi, '\r').replace(/%0A/gi, '\n');
}
