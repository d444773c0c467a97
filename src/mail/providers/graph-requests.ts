/** Sends requests to Graph on behalf of one mailbox. */
import { inTurns } from '../../ground/lib/in-turns.ts';
import type { Access } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { faultOf, senseless } from './graph-faults.ts';
import { askProvider, jsonOf, type ProviderAnswer, type ProviderRequest } from './provider-request.ts';

type GraphRequest = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  json?: object;
  /** The mail (RFC 5322). */
  mime?: Buffer;
  prefer?: string;
  /** The statuses besides 2xx that the caller handles, so that they throw no fault. */
  takes?: readonly number[];
} & Pick<ProviderRequest, 'sends' | 'timeoutMs' | 'answerBytesMax'>;

export type GraphRequests = {
  /**
   * @param target a path below the API's address, or a link from Graph. Paths below `/me/` mean the mailbox, even a
   * shared mailbox. `/me` itself means the account that consented.
   * Throws a `ProviderFault` for any status except 2xx and those in `takes`.
   */
  ask(target: string, request?: GraphRequest): Promise<ProviderAnswer>;
  askJson(target: string, request?: GraphRequest): Promise<Record<string, unknown>>;
  /** Uploads a part of a file. Sends no token, because the address itself grants the permission. */
  putSlice(uploadUrl: string, slice: Buffer<ArrayBuffer>, contentRange: string): Promise<void>;
  isOwnLink(link: string): boolean;
  signal: AbortSignal | undefined;
};

/**
 * Graph allows four concurrent requests for a mailbox. The fourth stays free for a send while another process reads.
 */
const atOnceMax = 3;
const sliceTimeoutMs = 120_000;
const provider = 'Microsoft 365';

type Place = { apiUrl: string; access: Access; closing: AbortSignal; sharedAddress?: string | undefined };

export function openGraphRequests(place: Place): GraphRequests {
  const turn = inTurns(atOnceMax);
  const ask: GraphRequests['ask'] = (target, request = {}) => turn(() => askGraph(place, target, request));
  return {
    ask,
    askJson: async (target, request) => {
      const value = jsonOf(await ask(target, request));
      if (value === undefined) throw senseless('no_json');
      return value;
    },
    putSlice: (...slice) => turn(() => putSlice(place, ...slice)),
    isOwnLink: (link) => leadsTo(place.apiUrl, link),
    signal: place.access.signal,
  };
}

async function askGraph({ apiUrl, access, closing, sharedAddress }: Place, target: string, request: GraphRequest) {
  const isPath = target.startsWith('/');
  // Send the token only to the API address in the settings.
  if (!isPath && !leadsTo(apiUrl, target)) throw senseless('foreign_link');
  const askWith = (token: string) =>
    askProvider({
      provider,
      url: isPath ? apiUrl + mailboxPath(target, sharedAddress) : target,
      ...partsOf(request),
      headers: { ...headersOf(request), authorization: `Bearer ${token}` },
      signals: [closing, access.signal],
    });
  const token = await access.token();
  const first = await askWith(token);
  // Graph carried out nothing, so even a request that sends is safe to repeat.
  const answer = first.status === 401 ? await askWith(await access.renew(token)) : first;
  if (isGood(answer) || request.takes?.includes(answer.status)) return answer;
  throw faultOf(answer, request.sends === true);
}

function mailboxPath(path: string, sharedAddress: string | undefined): string {
  if (sharedAddress === undefined) return path;
  return path.replace(/^\/me(?=\/)/, () => `/users/${encodeURIComponent(sharedAddress)}`);
}

async function putSlice(
  { apiUrl, access, closing }: Place,
  ...[url, body, contentRange]: Parameters<GraphRequests['putSlice']>
): Promise<void> {
  if (!mayCarryMail(apiUrl, url)) throw senseless('foreign_link');
  const answer = await askProvider({
    provider,
    url,
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream', 'content-range': contentRange },
    body,
    timeoutMs: sliceTimeoutMs,
    signals: [closing, access.signal],
  });
  if (!isGood(answer)) throw uploadFault(answer);
}

function isGood({ status }: ProviderAnswer): boolean {
  return status >= 200 && status < 300;
}

function partsOf(request: GraphRequest): Partial<ProviderRequest> {
  const { method = 'GET', json, mime, sends = false, timeoutMs, answerBytesMax } = request;
  const body = json === undefined ? mime?.toString('base64') : JSON.stringify(json);
  return {
    method,
    sends,
    ...(body !== undefined && { body }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(answerBytesMax !== undefined && { answerBytesMax }),
  };
}

function headersOf({ json, mime, prefer }: GraphRequest): Record<string, string> {
  // Without this preference, an id changes with every move, and when a draft is sent.
  const preferences = ['IdType="ImmutableId"', prefer].filter((preference) => preference !== undefined);
  return {
    prefer: preferences.join(', '),
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...(mime !== undefined && { 'content-type': 'text/plain' }),
  };
}

function leadsTo(apiUrl: string, link: string): boolean {
  const api = new URL(apiUrl);
  const url = URL.parse(link);
  return url !== null && url.origin === api.origin && url.pathname.startsWith(`${api.pathname}/`);
}

/**
 * Uploads go to a host of Exchange whose name varies. It must use HTTPS, or be the API's own origin, as with an
 * emulator.
 */
function mayCarryMail(apiUrl: string, uploadUrl: string): boolean {
  const url = URL.parse(uploadUrl);
  return url !== null && (url.protocol === 'https:' || url.origin === new URL(apiUrl).origin);
}

/** The next attempt of the mail restarts an upload that is gone or expects another slice. */
function uploadFault(answer: ProviderAnswer): ProviderFault {
  const fault = faultOf(answer, false);
  const { kind, code, retryAfterMs } = fault;
  if (kind === 'throttled' || kind === 'unavailable' || answer.status === 413) return fault;
  return new ProviderFault('unavailable', code, `Microsoft 365 broke an upload off (${code}).`, { retryAfterMs });
}
