/** Requests to Graph on behalf of one mailbox. */
import { inTurns } from '../../lib/in-turns.ts';
import { type Access, ProviderFault } from '../provider.ts';
import { faultOf, senseless } from './graph-faults.ts';
import { askProvider, jsonOf, type ProviderAnswer, type ProviderRequest } from './provider-request.ts';

type GraphRequest = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  json?: object;
  /** RFC 5322. */
  mime?: Buffer;
  prefer?: string;
  /** Statuses that are answers to the caller too, and no faults yet. */
  takes?: readonly number[];
} & Pick<ProviderRequest, 'sends' | 'timeoutMs' | 'answerBytesMax'>;

export type GraphRequests = {
  /**
   * @param target a path below the API's address, or a link that Graph gave. Paths below `/me/` are those of the mailbox, also
   * of a shared one; `/me` itself is the account that consented
   * Throws a `ProviderFault` for every other status than 2xx.
   */
  ask(target: string, request?: GraphRequest): Promise<ProviderAnswer>;
  askJson(target: string, request?: GraphRequest): Promise<Record<string, unknown>>;
  /** Puts a part of an upload: without the token, for the address itself is the permission. */
  putSlice(uploadUrl: string, slice: Buffer<ArrayBuffer>, contentRange: string): Promise<void>;
  isOwnLink(link: string): boolean;
  signal: AbortSignal | undefined;
};

/** Graph takes four at a time for a mailbox: one is left to whoever sends while another reads. */
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
  // The token goes where the settings say and nowhere else.
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
  // Nothing was carried out: even what sends may be asked again.
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
  // Else an id changes with every move, and with the sending of a draft.
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

/** Uploads go to a host of Exchange's own, whose name varies; encrypted, or where the API is itself (on this machine). */
function mayCarryMail(apiUrl: string, uploadUrl: string): boolean {
  const url = URL.parse(uploadUrl);
  return url !== null && (url.protocol === 'https:' || url.origin === new URL(apiUrl).origin);
}

/** An upload that is gone, or is asked for at the wrong place, begins anew with the mail's next attempt. */
function uploadFault(answer: ProviderAnswer): ProviderFault {
  const fault = faultOf(answer, false);
  const { kind, code, retryAfterMs } = fault;
  if (kind === 'throttled' || kind === 'unavailable' || answer.status === 413) return fault;
  return new ProviderFault('unavailable', code, `Microsoft 365 broke an upload off (${code}).`, { retryAfterMs });
}
