import { type ErrorKey, errorCatalog } from './error-catalog.ts';
import { type IssueKey, type IssueParams, issueAt } from './issues.ts';

export type ErrorParams = Record<string, unknown>;
export type ErrorBody = { key: ErrorKey; params: ErrorParams; fallbackMessage: string };

/** A failure to report to the caller. Any code may throw it. The error handler turns it into the response. */
export class AppError extends Error {
  readonly key: ErrorKey;
  readonly params: ErrorParams;
  /** Extra response headers, such as `retry-after`. */
  readonly headers: Record<string, string>;

  constructor(
    key: ErrorKey,
    params: ErrorParams = {},
    options: { cause?: unknown; headers?: Record<string, string> } = {},
  ) {
    const { message } = errorCatalog[key];
    const { stackTraceLimit } = Error;
    // Only `internal` errors need a stack. Recording one took as long as the rest of the response, also in a flood of
    // refused requests.
    if (key !== 'internal') Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'AppError';
    this.key = key;
    this.params = params;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errorCatalog[this.key].status;
  }

  get body(): ErrorBody {
    return { key: this.key, params: this.params, fallbackMessage: this.message };
  }
}

export type GivenIssue = { path: string; key: IssueKey; params?: IssueParams };

/** 400 `request.invalid` with every issue found. Paths begin with the part of the request: `body.tags.0`. */
export function invalidRequest(...given: GivenIssue[]): AppError {
  const issues = given.map(({ path, key, params }) => issueAt(path, key, params));
  return new AppError('request.invalid', { issues });
}

export type RatePolicy = { name: string; max: number; windowSeconds: number };

/** 429 `rate_limited` with `retry-after` and the headers of draft-ietf-httpapi-ratelimit-headers-10. */
export function rateLimited({ name, max, windowSeconds }: RatePolicy, waitSeconds: number): AppError {
  const headers = {
    'retry-after': String(waitSeconds),
    ratelimit: `"${name}";r=0;t=${waitSeconds}`,
    'ratelimit-policy': `"${name}";q=${max};w=${windowSeconds}`,
  };
  return new AppError('rate_limited', {}, { headers });
}
