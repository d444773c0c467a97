import type { Multipart } from '@fastify/multipart';
import { cleanFileName } from '@kontor/mail/file-name.ts';
import type { FastifyRequest } from 'fastify';
import type { Blobs } from '../../ground/blobs/blobs.ts';
import type { Spooled } from '../../ground/blobs/spool.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import { type IssueKey, type IssueParams, issueAt } from '../../ground/lib/issues.ts';
import { contentTypeOf } from './content-type.ts';
import type { Reservation, Wanted } from './reserve-storage.ts';

/** A completely received file that is not stored as a blob yet. */
export type Upload = { fileName: string; contentType: string; bytes: Spooled };

/** Room for the rest of a form: boundaries, headers and ignored fields. */
const formBytesMax = 64 * 1024;

type Reading = {
  blobs: Blobs;
  /** Of all files together. */
  bytesMax: number;
  /** Runs before anything of the files is read: takes room for them, or throws to refuse them. */
  beforeReading(wanted: Pick<Wanted, 'bytes' | 'bytesMin'>): Promise<Pick<Reservation, 'bytesMax' | 'beyond'>>;
};

/**
 * Reads a form with one part `file` and streams the file to disk. Sets the request's body to the file's name and hash,
 * so that idempotency recognises a repeat.
 */
export async function readUpload(request: FastifyRequest, reading: Reading): Promise<Upload> {
  const [upload] = await readUploads(request, { ...reading, filesMax: 1 });
  if (upload === undefined) throw fileFault('required');
  request.body = { fileName: upload.fileName, sha256: upload.bytes.sha256 };
  return upload;
}

/** Reads a form of one or more parts `file` and streams the files to disk. */
export async function readUploads(
  request: FastifyRequest,
  { blobs, bytesMax, filesMax, beforeReading }: Reading & { filesMax: number },
): Promise<Upload[]> {
  if (!request.isMultipart()) throw fileFault('required');
  const formMax = formBytesMax * filesMax;
  const declared = Number(request.headers['content-length'] ?? Number.NaN);
  if (declared > bytesMax + formMax) throw new AppError('request.too_large');
  const room = await beforeReading({
    bytes: Number.isNaN(declared) ? bytesMax : Math.min(declared, bytesMax),
    bytesMin: Number.isNaN(declared) ? 0 : declared - formMax,
  });
  await using found = new AsyncDisposableStack();
  const uploads: Upload[] = [];
  let leftBytes = room.bytesMax;
  for await (const part of partsOf(request)) {
    if (part.fieldname !== 'file') {
      if (part.type === 'file') throw fileFault('other_file');
      continue;
    }
    if (part.type !== 'file') throw fileFault('not_a_file');
    if (uploads.length === filesMax)
      throw filesMax === 1 ? fileFault('not_one_file') : fileFault('too_many_files', { limit: filesMax });
    const bytes = found.use(await blobs.spool(limited(part.file, leftBytes, room.beyond)));
    leftBytes -= bytes.sizeBytes;
    const contentType = await contentTypeOf(bytes.head, part.mimetype);
    uploads.push({ fileName: cleanFileName(unescaped(part.filename ?? '')) ?? 'file', contentType, bytes });
  }
  if (uploads.length === 0) throw fileFault('required');
  // From here on the caller disposes of the files.
  found.move();
  return uploads;
}

function fileFault(key: IssueKey, params: IssueParams = {}): AppError {
  return invalidRequest({ path: 'body.file', key, params });
}

/** Turns the errors of an unreadable form, or of a client that left, into a fault of the request. */
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

async function* limited(file: AsyncIterable<Buffer>, bytesMax: number, beyond: () => AppError): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of file) {
      size += chunk.length;
      if (size > bytesMax) throw beyond();
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
  const issues = [issueAt('body', 'bad_form')];
  return new AppError('request.invalid', { issues }, { cause: error });
}

/** Browsers escape these three characters, which would end the name. A name with such an escape as text is rare. */
function unescaped(fileName: string): string {
  return fileName.replace(/%22/g, '"').replace(/%0D/gi, '\r').replace(/%0A/gi, '\n');
}
