import { Resolver } from 'node:dns/promises';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isInNetworks, isPublicAddress, type Network } from '../lib/networks.ts';

/** All addresses of a name; throws or answers none when it has none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

type Delivery = { url: string; headers: Record<string, string>; body: string; timeoutMs: number };

/** `error` is a sentence for people, and tells nothing of what the receiver sent. Stopped: by us, and it may have arrived. */
export type Outcome = { kind: 'answered'; status: number } | { kind: 'unreached'; error: string } | { kind: 'stopped' };

/** The receivers of webhooks, which are whatever addresses people name: each is looked at before it is spoken to. */
export type Receivers = {
  /** What is wrong with an address that somebody names. A name that does not resolve may do so later. */
  faultOf(url: string): Promise<string | undefined>;
  /** Sends a delivery and tells how it went; never throws for what the receiver does. */
  post(delivery: Delivery): Promise<Outcome>;
  /** Breaks off what is under way, and sends nothing any more: the process ends. */
  stop(): void;
};

/** How long somebody who names an address waits for a name server. */
const lookMsMax = 5_000;

/** @param allowed networks that may be reached beside the Internet, and without TLS */
export function openReceivers(allowed: readonly Network[], resolveName: ResolveName = resolveByDns): Receivers {
  const stopping = new AbortController();
  const reach = (url: URL) => reachableAddresses(url, allowed, resolveName);
  return {
    faultOf: async (text) => {
      if (!URL.canParse(text)) return 'is no URL';
      const url = new URL(text);
      const fault = formFault(url);
      if (fault !== undefined) return fault;
      try {
        await orAbort(reach(url), AbortSignal.timeout(lookMsMax));
        return undefined;
      } catch (error) {
        if (error instanceof UnreachedError && error.isForGood) return error.advice;
        // Where TLS may be done without is known by the address alone.
        return url.protocol === 'http:' ? unresolved.advice : undefined;
      }
    },
    post: async ({ url: text, timeoutMs, ...content }) => {
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping.signal]);
      try {
        const url = new URL(text);
        const addresses = await orAbort(reach(url), signal);
        return { kind: 'answered', status: await statusOf(url, addresses, content, signal) };
      } catch (error) {
        return stopping.signal.aborted
          ? { kind: 'stopped' }
          : { kind: 'unreached', error: sentenceOf(error, timeoutMs) };
      }
    },
    stop: () => stopping.abort(),
  };
}

function formFault(url: URL): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return unencrypted.advice;
  if (url.username !== '' || url.password !== '') return 'must hold no user name or password';
  return undefined;
}

/** `advice` is for whoever names the address, `message` for the log of deliveries. */
type Obstacle = { message: string; advice: string; isForGood: boolean };

const unresolved: Obstacle = {
  message: 'Its name does not resolve.',
  advice: 'has a name that does not resolve',
  isForGood: false,
};
const unreachable: Obstacle = {
  message: 'Its address is in a network that webhooks may not reach.',
  advice: 'leads to a network that webhooks may not reach',
  isForGood: true,
};
const unencrypted: Obstacle = {
  message: 'It must be reached by https.',
  advice: 'must begin with https://',
  isForGood: true,
};

class UnreachedError extends Error {
  readonly advice: string;
  readonly isForGood: boolean;

  constructor({ message, advice, isForGood }: Obstacle) {
    super(message);
    this.advice = advice;
    this.isForGood = isForGood;
  }
}

/**
 * Where the host of a URL is to be found, each address checked. They are what is connected to: whoever answers for the name
 * cannot tell another address a moment later (DNS rebinding). One that may not be reached spoils them all.
 */
async function reachableAddresses(url: URL, allowed: readonly Network[], resolve: ResolveName): Promise<string[]> {
  const addresses = await addressesOf(url.hostname.replace(/^\[|\]$/g, ''), resolve);
  const isOurs = (address: string) => isInNetworks(address, allowed);
  if (!addresses.every((address) => isOurs(address) || isPublicAddress(address))) throw new UnreachedError(unreachable);
  if (url.protocol !== 'https:' && !addresses.every(isOurs)) throw new UnreachedError(unencrypted);
  return addresses;
}

async function addressesOf(host: string, resolve: ResolveName): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  // RFC 6761 §6.3: never asked of a name server.
  if (/^(.+\.)?localhost\.?$/.test(host)) return ['127.0.0.1', '::1'];
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new UnreachedError(unresolved);
  return [...addresses];
}

const resolver = { timeout: 2_000, tries: 2 };

/** Not by the system's own look-up: that one holds a thread, of which there are four, for as long as a name server likes. */
async function resolveByDns(name: string): Promise<string[]> {
  const dns = new Resolver(resolver);
  const answers = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

const answerBytesMax = 1_024;
const answerMsMax = 1_000;

/** The status is what counts: redirects are not followed, and the body is read for good manners alone, up to 1 KiB. */
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
    // It broke off behind the status, or was cut off here.
  } finally {
    clearTimeout(timer);
  }
}

/** Answers with what was checked, whatever the name leads to by now. */
function lookupAmong(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all }, callback) => {
    const [first] = entries;
    if (all || first === undefined) callback(null, entries);
    else callback(null, first.address, first.family);
  };
}

function orAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
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
