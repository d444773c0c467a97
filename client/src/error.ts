type ErrorBody = { key: string; params: Record<string, unknown>; fallbackMessage: string };
type Origin = Partial<Pick<KontorError, 'status' | 'correlationId' | 'retryAfterSeconds'>> & { cause?: unknown };

/**
 * Every fault of a call, except an abort. Decide by `key`. Beside the keys of the API there are `client.unreachable`
 * (no answer came whole), `client.redirected` and `client.unknown_answer` (it did not come from Kontor, but perhaps
 * from a proxy).
 */
export class KontorError extends Error {
  override readonly name = 'KontorError';
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  readonly key: string;
  readonly params: Record<string, unknown>;
  /** Names the log lines of the request. */
  readonly correlationId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor({ key, params, fallbackMessage }: ErrorBody, origin: Origin = {}) {
    super(fallbackMessage, { cause: origin.cause });
    this.status = origin.status ?? 0;
    this.key = key;
    this.params = params;
    this.correlationId = origin.correlationId ?? null;
    this.retryAfterSeconds = origin.retryAfterSeconds ?? null;
  }
}

export function unreachable(cause: unknown): KontorError {
  const fallbackMessage = `The service could not be reached: ${reasonOf(cause)}.`;
  return new KontorError({ key: 'client.unreachable', params: {}, fallbackMessage }, { cause });
}

/** Node says only "fetch failed", and has the reason as the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return error.cause.message || error.message;
  return error.message;
}

/** A 2xx answer that Kontor does not give. */
export function unknownAnswer(reason: string, cause?: unknown): KontorError {
  const fallbackMessage = `The answer did not come from Kontor: ${reason}.`;
  return new KontorError({ key: 'client.unknown_answer', params: {}, fallbackMessage }, { status: 200, cause });
}

/**
 * Throws for a redirect. To follow it would send a password or a token to an address that nobody named, and Kontor
 * redirects no call. Browsers do not tell where it leads.
 */
export function refuseRedirect({ type, status, headers, url }: Response): void {
  if (type !== 'opaqueredirect' && (status < 300 || status > 399)) return;
  const location = headers.get('location');
  const to = location !== null && URL.canParse(location, url) ? new URL(location, url).origin : null;
  const where = to === null ? '' : ` to ${to}`;
  const fallbackMessage = `The address redirects${where}: use the address of the service itself.`;
  throw new KontorError({ key: 'client.redirected', params: { to }, fallbackMessage }, { status });
}

/** The JSON of a 2xx answer. */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw unreachable(cause);
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unknownAnswer('it is not JSON', cause);
  }
}

/** The error that an answer other than 2xx holds. */
export function errorOf({ status, headers }: Response, body: unknown): KontorError {
  const fallbackMessage = `The answer has status ${status}, and it is not one of Kontor's errors.`;
  return new KontorError(isErrorBody(body) ? body : { key: 'client.unknown_answer', params: {}, fallbackMessage }, {
    status,
    correlationId: headers.get('x-correlation-id'),
    retryAfterSeconds: retryAfterOf(headers),
  });
}

/** Reads an answer other than 2xx. */
export async function readError(response: Response): Promise<KontorError> {
  const text = await response.text().catch(() => '');
  return errorOf(response, parsed(text));
}

export function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after');
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'key' in body && 'params' in body && 'fallbackMessage' in body;
}
