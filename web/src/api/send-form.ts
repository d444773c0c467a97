import { ApiError, headerOf } from './client.ts';

export type SentForm<Answer> = { done: Promise<Answer>; cancel: () => void };

type Options = {
  form: FormData;
  /** The idempotency key, with which a repeat is safe. */
  key: string;
  /** Gets the sent share, from 0 to 1. */
  onProgress: (share: number) => void;
};

/** Sends a form with XMLHttpRequest, because `fetch` reports no progress. */
export function sendForm<Answer>(
  workspaceId: string,
  path: string,
  { form, key, onProgress }: Options,
): SentForm<Answer> {
  const request = new XMLHttpRequest();
  const done = new Promise<Answer>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      if (request.status < 300) resolve(JSON.parse(request.responseText) as Answer);
      else reject(faultOf(request));
    };
    request.onerror = () => reject(new TypeError('network'));
    request.onabort = () => reject(new DOMException('cancelled', 'AbortError'));
    request.open('POST', path);
    for (const [name, value] of Object.entries(headerOf(workspaceId))) request.setRequestHeader(name, value);
    request.setRequestHeader('idempotency-key', key);
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
