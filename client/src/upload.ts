import { readError, readJson } from './error.ts';
import { newKey } from './random.ts';
import type { components } from './schema.ts';
import type { Send } from './send.ts';

export type Attachment = components['schemas']['Attachment'];

export type UploadOptions = {
  /** The ticket whose message gets the file. */
  ticketId?: string;
  /** The name of the file, if the file itself has none. */
  name?: string;
  workspaceId?: string;
  /** Called with the bytes sent so far. Browsers and Bun tell no progress: there it is called once, at the end. */
  onProgress?: (progress: { sent: number; total: number }) => void;
  signal?: AbortSignal;
};

type Addressed = UploadOptions & { addressIn: (path: string, workspaceId?: string) => URL };

export async function upload(send: Send, file: Blob, options: Addressed): Promise<Attachment> {
  const { ticketId, workspaceId, onProgress, signal, addressIn } = options;
  const path = ticketId === undefined ? '/uploads' : `/tickets/${encodeURIComponent(ticketId)}/attachments`;
  const address = addressIn(path, workspaceId);
  // Each repeat has the same key, so the service keeps the file once.
  const headers = { 'idempotency-key': newKey() };
  const response = await send(() => {
    const init = { method: 'POST', redirect: 'manual' as const, signal: signal ?? null, ...bodyOf(file, options) };
    return new Request(address, { ...init, headers: { ...headers, ...init.headers } });
  });
  if (!response.ok) throw await readError(response);
  onProgress?.({ sent: file.size, total: file.size });
  return (await readJson(response)) as Attachment; // the shape that openapi.json declares
}

type Body = { body: FormData | ReadableStream; headers?: Record<string, string>; duplex?: 'half' };

function bodyOf(file: Blob, { name, onProgress }: UploadOptions): Body {
  const form = new FormData();
  form.append('file', file, name ?? nameOf(file));
  if (onProgress === undefined || !canCount()) return { body: form };
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type');
  // Bun does not tell the boundary of the form, without which nobody can read it.
  if (encoded.body === null || !type) return { body: form };
  const body = encoded.body.pipeThrough(counting(file.size, onProgress));
  return { body, headers: { 'content-type': type }, duplex: 'half' };
}

function nameOf(file: Blob): string {
  return 'name' in file && typeof file.name === 'string' ? file.name : 'file';
}

/** Browsers stream a body only over HTTP/2, or not at all. */
function canCount(): boolean {
  return !('document' in globalThis) && !('importScripts' in globalThis);
}

function counting(total: number, tell: NonNullable<UploadOptions['onProgress']>): TransformStream {
  let bytes = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(part, controller) {
      bytes += part.byteLength;
      controller.enqueue(part);
      // The form around the file has some bytes of its own.
      if (bytes < total) tell({ sent: bytes, total });
    },
  });
}
