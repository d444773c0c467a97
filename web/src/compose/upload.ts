import { ApiError, type Attachment, inWorkspace } from '../api/client.ts';
import { randomId } from '../lib/random-id.ts';

export type Upload = { done: Promise<Attachment>; cancel: () => void };

/**
 * Uploads a file with XMLHttpRequest, because `fetch` reports no progress.
 * @param key the file's idempotency key, with which a repeat is safe
 */
export function upload(workspaceId: string, file: File, key: string, onProgress: (share: number) => void): Upload {
  const request = new XMLHttpRequest();
  const done = new Promise<Attachment>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText) as Attachment);
      else reject(faultOf(request));
    };
    request.onerror = () => reject(new TypeError('network'));
    request.onabort = () => reject(new DOMException('cancelled', 'AbortError'));
    request.open('POST', `/v1/workspaces/${workspaceId}/uploads`);
    for (const [name, value] of Object.entries(inWorkspace(workspaceId).header)) request.setRequestHeader(name, value);
    request.setRequestHeader('idempotency-key', key);
    const form = new FormData();
    form.append('file', file, file.name);
    request.send(form);
  });
  return { done, cancel: () => request.abort() };
}

function faultOf(request: XMLHttpRequest): Error {
  const response = new Response(null, { status: request.status });
  try {
    return new ApiError(response, JSON.parse(request.responseText));
  } catch {
    return new TypeError('network');
  }
}

/** Uploads copies of files, for the text of a cancelled message, which keeps the files themselves. */
export async function copyFiles(workspaceId: string, files: readonly Attachment[]): Promise<Attachment[]> {
  return Promise.all(
    files.map(async ({ url, fileName, contentType }) => {
      const { pathname, search } = new URL(url, window.location.origin);
      const bytes = await (await fetch(pathname + search)).blob();
      const copy = new File([bytes], fileName, { type: contentType });
      return upload(workspaceId, copy, randomId(), () => undefined).done;
    }),
  );
}
