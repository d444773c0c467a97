/** Sends one HTTP request to a provider, with limits on time and size. Each provider interprets the answers itself. */
import { gatherBytes } from '../../ground/lib/join-bytes.ts';
import { type TraceHeaders, traced } from '../../ground/lib/traced.ts';
import { type AccessEvidence, ProviderFault, type ProviderFaultKind } from '../provider-fault.ts';

export type ProviderRequest = {
  /** The provider's name for people: `Microsoft 365`. */
  provider: string;
  url: string;
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  /** Any of these signals aborts the request. */
  signals?: readonly (AbortSignal | undefined)[];
  /** The time limit for the whole request, up to the last byte of the answer. */
  timeoutMs?: number;
  answerBytesMax?: number;
  /** Whether the request sends mail. If such a request breaks off, the mail may have left. */
  sends?: boolean;
};

export type ProviderAnswer = { status: number; headers: Headers; body: Buffer };

const timeoutMsDefault = 30_000;
const answerBytesMaxDefault = 16 * 1024 * 1024;
const retryAfterMsMax = 24 * 3600 * 1000;

/**
 * Sends one request and reads the answer, with any status. Does not follow redirects, because the request contains
 * credentials. Throws a `ProviderFault`: `unavailable` without a whole answer, `refused` for an answer that is too
 * large.
 */
export async function askProvider(request: ProviderRequest): Promise<ProviderAnswer> {
  const { url, method = 'GET', headers = {}, body, signals = [], timeoutMs = timeoutMsDefault } = request;
  const others = signals.filter((signal) => signal !== undefined);
  if (others.some((other) => other.aborted)) throw brokenOff({ ...request, sends: false }, 'aborted');
  const signal = AbortSignal.any([...others, AbortSignal.timeout(timeoutMs)]);
  try {
    const ask = async (trace: TraceHeaders): Promise<ProviderAnswer> => {
      const response = await fetch(url, {
        method,
        headers: { ...headers, ...trace },
        redirect: 'manual',
        signal,
        ...(body !== undefined && { body }),
      });
      return { status: response.status, headers: response.headers, body: await bytesOf(response, request) };
    };
    return await traced({ kind: 'call', peer: request.provider, operation: method }, ask, ({ status }) => ({ status }));
  } catch (error) {
    if (error instanceof ProviderFault) throw error;
    const isAborted = others.some((other) => other.aborted);
    throw brokenOff(request, isAborted ? 'aborted' : signal.aborted ? 'timeout' : codeOf(error), error);
  }
}

async function bytesOf(response: Response, request: ProviderRequest): Promise<Buffer> {
  const { provider, answerBytesMax = answerBytesMaxDefault, sends = false } = request;
  const bytes = await gatherBytes(response.body ?? [], answerBytesMax);
  if (bytes !== undefined) return bytes;
  throw new ProviderFault('refused', 'too_large', `${provider} answered more than ${answerBytesMax} bytes.`, {
    mayHaveHappened: sends,
  });
}

/** After these errors, no request has reached the provider. */
const unsentCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function brokenOff({ provider, sends = false }: ProviderRequest, code: string, cause?: unknown): ProviderFault {
  const sentence =
    code === 'timeout'
      ? `${provider} did not answer in time.`
      : code === 'aborted'
        ? `The request to ${provider} was ended from our side.`
        : `${provider} could not be reached (${code}).`;
  return new ProviderFault('unavailable', code, sentence, {
    mayHaveHappened: sends && !unsentCodes.has(code),
    cause,
  });
}

/** `fetch` puts the connection error into `cause`, which may contain one error for each address that it tried. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  for (const fault of [cause, first])
    if (fault instanceof Error && 'code' in fault && typeof fault.code === 'string') return fault.code;
  return 'network';
}

/**
 * Returns the kind of fault by the status alone. A provider's own code may tell more. A 401 here follows a token that
 * was just issued. Both providers refuse such tokens during incidents, so a 401 says nothing about the grant.
 */
export function kindOfStatus(status: number): ProviderFaultKind {
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not-found';
  if (status === 429) return 'throttled';
  if (status === 401 || status === 408 || status >= 500) return 'unavailable';
  // The API never redirects, so its address in the settings is wrong.
  if (status >= 300 && status < 400) return 'misconfigured';
  return 'refused';
}

/** Returns the evidence of an API's answer about our access, which is never `final`. */
export function evidenceOf(kind: ProviderFaultKind, { status }: Pick<ProviderAnswer, 'status'>): AccessEvidence {
  return status === 401 || kind === 'forbidden' || kind === 'misconfigured' ? 'denial' : 'none';
}

/**
 * Returns how long the answer asks us to wait (RFC 9110 §10.2.3), at most a day. Null if the answer does not say.
 * Compares a date with the answer's own Date header, because clocks differ.
 */
export function retryAfterMsOf({ headers }: Pick<ProviderAnswer, 'headers'>): number | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, retryAfterMsMax);
  const until = Date.parse(value) - (Date.parse(headers.get('date') ?? '') || Date.now());
  return Number.isNaN(until) ? null : Math.min(Math.max(until, 0), retryAfterMsMax);
}

/** @returns the JSON object of the answer, or undefined for any other answer */
export function jsonOf({ body }: Pick<ProviderAnswer, 'body'>): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(body.toString()));
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined; // checked above
}

/** @returns a provider's error code if it looks like a code, so that no other text gets into logs */
export function faultCode(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.-]{1,64}$/.test(value) ? value : undefined;
}
