/** Requests that the emulator makes, without the headers that a client library adds. */
import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Push } from './world.ts';

type Posted = {
  outcome: Extract<Push['outcome'], 'taken' | 'refused' | 'timed out' | 'unreachable'>;
  status: number | null;
  contentType: string;
  body: string;
  latencyMs: number;
};

/** Never throws. */
export function postTo(
  agent: Agent,
  url: string,
  { type, body, timeoutMs }: { type: string; body: string; timeoutMs: number },
): Promise<Posted> {
  const startedAt = performance.now();
  const nothing = { status: null, contentType: '', body: '' };
  return new Promise((resolve) => {
    const end = (posted: Omit<Posted, 'latencyMs'>) => {
      clearTimeout(timer);
      resolve({ ...posted, latencyMs: performance.now() - startedAt });
    };
    const take = (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => end({ outcome: 'unreachable', ...nothing }));
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        const contentType = response.headers['content-type'] ?? '';
        const outcome = status >= 200 && status < 300 ? 'taken' : 'refused';
        end({ outcome, status, contentType, body: Buffer.concat(chunks).toString() });
      });
    };
    const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
    const request = url.startsWith('https:')
      ? httpsRequest(url, { method: 'POST', headers }, take)
      : httpRequest(url, { method: 'POST', headers, agent }, take);
    const timer = setTimeout(() => {
      end({ outcome: 'timed out', ...nothing });
      request.destroy();
    }, timeoutMs);
    request.on('error', () => end({ outcome: 'unreachable', ...nothing }));
    request.end(body);
  });
}
