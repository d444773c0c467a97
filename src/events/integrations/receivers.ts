import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { IssueKey } from '../../ground/lib/issues.ts';
import type { Network } from '../../ground/lib/networks.ts';
import { traced } from '../../ground/lib/traced.ts';
import {
  lookupAmong,
  orAbort,
  type ResolveName,
  reachableAddresses,
  UnreachedError,
  unencrypted,
  unresolved,
} from '../../ground/platform/reach.ts';

type Delivery = { url: string; headers: Record<string, string>; body: string; timeoutMs: number };

/**
 * `error` is a sentence for people and reveals nothing that the receiver sent. `stopped`: we aborted, and the delivery
 * may have arrived.
 */
export type PostResult =
  | { kind: 'answered'; status: number }
  | { kind: 'unreached'; error: string }
  | { kind: 'stopped' };

/** Webhook receivers. People choose their addresses freely, so each address is checked before a request. */
export type Receivers = {
  /** The fault of an address, or undefined. A name that does not resolve may resolve later, so it passes. */
  faultOf(url: string): Promise<IssueKey | undefined>;
  /** Sends a delivery and returns the result. Never throws for a receiver's fault. */
  post(delivery: Delivery): Promise<PostResult>;
  /** Aborts all requests and sends nothing more, because the process ends. */
  stop(): void;
};

/** How long the request that names an address may wait for a name server. */
const lookMsMax = 5_000;

/** @param allowed networks that may be reached besides the Internet, and without TLS */
export function openReceivers(allowed: readonly Network[], resolve: ResolveName): Receivers {
  const stopping = new AbortController();
  const reach = (url: URL) => reachableAddresses(url, { allowed, resolve });
  return {
    faultOf: async (text) => {
      if (!URL.canParse(text)) return 'not_a_url';
      const url = new URL(text);
      const fault = formFault(url);
      if (fault !== undefined) return fault;
      try {
        await orAbort(reach(url), AbortSignal.timeout(lookMsMax));
        return undefined;
      } catch (error) {
        if (error instanceof UnreachedError && error.isForGood) return error.advice;
        // Only the resolved address decides whether plain HTTP is allowed.
        return url.protocol === 'http:' ? unresolved.advice : undefined;
      }
    },
    post: async ({ url: text, timeoutMs, ...content }) => {
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping.signal]);
      try {
        const url = new URL(text);
        const addresses = await orAbort(reach(url), signal);
        const work = { kind: 'call', peer: 'webhook', operation: 'POST' } as const;
        const status = await traced(
          work,
          (trace) => statusOf(url, addresses, { ...content, headers: { ...content.headers, ...trace } }, signal),
          (answered) => ({ status: answered }),
        );
        return { kind: 'answered', status };
      } catch (error) {
        return stopping.signal.aborted
          ? { kind: 'stopped' }
          : { kind: 'unreached', error: sentenceOf(error, timeoutMs) };
      }
    },
    stop: () => stopping.abort(),
  };
}

function formFault(url: URL): IssueKey | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return unencrypted.advice;
  if (url.username !== '' || url.password !== '') return 'url_with_user';
  return undefined;
}

const answerBytesMax = 1_024;
const answerMsMax = 1_000;

/**
 * Only the status matters. Redirects are not followed. Up to 1 KiB of the body is read as a courtesy to the receiver.
 */
async function statusOf(
  url: URL,
  addresses: readonly string[],
  { headers, body }: Pick<Delivery, 'headers' | 'body'>,
  signal: AbortSignal,
): Promise<number> {
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    agent: false,
    lookup: lookupAmong(addresses),
    signal,
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, options, resolve);
    request.on('error', reject);
    request.on('close', () => reject(Object.assign(new Error('no answer'), { code: 'ECONNRESET' })));
    request.end(body);
  });
  await dropBody(answer);
  return answer.statusCode ?? 0;
}

async function dropBody(answer: IncomingMessage): Promise<void> {
  const timer = setTimeout(() => answer.destroy(), answerMsMax);
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length;
      if (bytes > answerBytesMax) break;
    }
  } catch {
    // The receiver broke off after the status, or the timer cut it off.
  } finally {
    clearTimeout(timer);
  }
}

function sentenceOf(error: unknown, timeoutMs: number): string {
  if (error instanceof UnreachedError) return error.message;
  const { name, code = '' } = error as { name: string; code?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return `It did not answer within ${timeoutMs / 1000} seconds.`;
  if (code === 'ECONNREFUSED') return 'It refused the connection.';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'It broke off the connection.';
  if (code.startsWith('HPE_')) return 'It did not answer in HTTP.';
  if (/CERT|TLS|SSL|SIGNATURE|^EPROTO$/.test(code)) return `Its certificate or its TLS is not valid: ${code}.`;
  return `It could not be reached${code === '' ? '' : `: ${code}`}.`;
}
