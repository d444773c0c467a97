/** Sends requests to one Gmail mailbox, and explains Google's refusals. */
import type { Access } from '../provider.ts';
import { ProviderFault, type ProviderFaultKind } from '../provider-fault.ts';
import {
  askProvider,
  asObject,
  evidenceOf,
  faultCode,
  jsonOf,
  kindOfStatus,
  type ProviderAnswer,
  type ProviderRequest,
  retryAfterMsOf,
} from './provider-request.ts';

type GmailRequest = Pick<ProviderRequest, 'method' | 'headers' | 'body' | 'timeoutMs' | 'answerBytesMax' | 'sends'> & {
  path: string;
  query?: readonly (readonly [name: string, value: string])[];
};

/** Throws a `ProviderFault`. @returns the JSON object of the answer, or an empty object for an empty answer */
export type AskGmail = (request: GmailRequest) => Promise<Record<string, unknown>>;

type Place = { apiUrl: string; access: Access; closing: AbortSignal };

export function gmailRequests({ apiUrl, access, closing }: Place): AskGmail {
  return async ({ path, query = [], headers, ...request }) => {
    const url = new URL(`${apiUrl}${path}`);
    for (const [name, value] of query) url.searchParams.append(name, value);
    const askWith = (token: string) =>
      askProvider({
        ...request,
        provider: 'Gmail',
        url: url.href,
        headers: { accept: 'application/json', ...headers, authorization: `Bearer ${token}` },
        signals: [closing, access.signal],
      });
    const token = await access.token();
    const first = await askWith(token);
    // Gmail carried out nothing, so even a request that sends is safe to repeat.
    const answer = first.status === 401 ? await askWith(await access.renew(token)) : first;
    if (answer.status < 200 || answer.status > 299) throw refusalOf(answer, request.sends ?? false);
    if (answer.body.length === 0) return {};
    const body = jsonOf(answer);
    if (body !== undefined) return body;
    throw new ProviderFault('unavailable', 'no_json', 'Gmail’s answer could not be read.', {
      mayHaveHappened: request.sends ?? false,
    });
  };
}

/**
 * The kinds of refusals by `reason`, which is more precise than the status: a 403 may mean throttling. After one of
 * these refusals, the mail did not leave.
 */
const kinds: Readonly<Record<string, ProviderFaultKind>> = {
  authError: 'unavailable',
  insufficientPermissions: 'forbidden',
  rateLimitExceeded: 'throttled',
  userRateLimitExceeded: 'throttled',
  quotaExceeded: 'throttled',
  dailyLimitExceeded: 'throttled',
  domainPolicy: 'forbidden',
  forbidden: 'forbidden',
  // Gmail sometimes answers this to any request, and accepts the next request.
  failedPrecondition: 'unavailable',
  accessNotConfigured: 'misconfigured',
  invalidArgument: 'refused',
  badRequest: 'refused',
  invalid: 'refused',
  required: 'refused',
  parseError: 'refused',
  uploadTooLarge: 'refused',
  notFound: 'not-found',
};
/** The message of a permanent `failedPrecondition`: the account has no Gmail. */
const noGmail = /mail service not enabled/i;

function refusalOf(answer: ProviderAnswer, sends: boolean): ProviderFault {
  const { status } = answer;
  const error = asObject(jsonOf(answer)?.error) ?? {};
  const [detail] = listOf(error.errors);
  const reason = faultCode(detail?.reason);
  const said = textOf(error.message) ?? '';
  const isBusy = status === 429 || status >= 500;
  const known = status < 500 ? kinds[reason ?? ''] : undefined;
  const isNoGmail = reason === 'failedPrecondition' && noGmail.test(said);
  const kind = isNoGmail ? 'forbidden' : (!isBusy && known) || kindOf(status, reason);
  const code = reason ?? String(status);
  const sentence = sentences[code] ?? (status === 401 ? tokenRefused : sentenceOf(kind, sends ? said : ''));
  return new ProviderFault(kind, code, `${sentence} (${code}).`, {
    retryAfterMs: kind === 'throttled' ? waitMsOf(answer, code, said) : retryAfterMsOf(answer),
    mayHaveHappened: sends && status !== 401 && known === undefined,
    evidence: reason === 'failedPrecondition' ? 'denial' : evidenceOf(kind, answer),
  });
}

/** A 400 without a reason is temporary. */
function kindOf(status: number, reason: string | undefined): ProviderFaultKind {
  return status === 400 && reason === undefined ? 'unavailable' : kindOfStatus(status);
}

const tokenRefused =
  'Gmail refuses the access to this mailbox that it has just granted: if this goes on, connect it again';
const sentences: Readonly<Record<string, string>> = {
  insufficientPermissions: 'Not all permissions were granted for this mailbox: connect it again and grant all of them',
};

/** @param said Google's own words, which may name people. Only the author of the refused mail may see them. */
function sentenceOf(kind: ProviderFaultKind, said: string): string {
  switch (kind) {
    case 'forbidden':
      return 'Gmail or the administrator of this mailbox forbids us access';
    case 'misconfigured':
      return 'Gmail does not accept our application: is the Gmail API switched on in its Google Cloud project?';
    case 'throttled':
      return 'Gmail asks to wait before more is asked of this mailbox';
    case 'unavailable':
      return 'Gmail has trouble of its own just now';
    case 'not-found':
      return 'Gmail does not have this any more';
    default:
      return said === '' ? 'Gmail refused the request' : `Gmail refused it: ${said.replace(/\s+/g, ' ').slice(0, 200)}`;
  }
}

const dayQuotaWaitMs = 3600 * 1000;
/** Google counts the quota by the minute. */
const usualWaitMs = 5_000;

/** Gmail usually writes the time in its message: `User-rate limit exceeded.  Retry after 2026-11-20T10:00:00.000Z`. */
function waitMsOf(answer: ProviderAnswer, code: string, said: string): number {
  const told = retryAfterMsOf(answer);
  if (told !== null) return told;
  const [, until = ''] = /Retry after (\d{4}-\d\d-\d\dT[\d:.]+Z)/i.exec(said) ?? [];
  const untilMs = Date.parse(until) - (Date.parse(answer.headers.get('date') ?? '') || Date.now());
  if (!Number.isNaN(untilMs)) return Math.min(Math.max(untilMs, 1_000), 24 * dayQuotaWaitMs);
  if (code === 'dailyLimitExceeded') return dayQuotaWaitMs;
  // Add jitter, so that mailboxes that were throttled together do not retry together.
  return Math.round(usualWaitMs * (1 + Math.random()));
}

/** Google usually writes large numbers as strings, but sometimes as numbers. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** @returns the objects of a list. Google omits an empty list. */
export function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(asObject).filter((item) => item !== undefined) : [];
}

export function labelsOf(message: Record<string, unknown> | undefined): ReadonlySet<unknown> {
  const labels = message?.labelIds;
  return new Set(Array.isArray(labels) ? labels : []);
}
