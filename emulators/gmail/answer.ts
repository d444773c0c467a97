/** Answers of the Gmail API, errors included. */
export type Answer = { status: number; body?: object; headers?: Record<string, string> };

/** Google's name for each HTTP status. */
const statusNames: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

const usualReasons: Record<number, string> = {
  400: 'invalidArgument',
  401: 'authError',
  403: 'forbidden',
  404: 'notFound',
  413: 'uploadTooLarge',
  429: 'rateLimitExceeded',
};

/** A handler throws this to refuse a request. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(status: number, message: string, reason?: string) {
    super(message);
    this.answer = refusal(status, message, reason);
  }
}

export function refusal(
  status: number,
  message: string,
  reason: string = usualReasons[status] ?? 'backendError',
  headers: Record<string, string> = {},
): Answer {
  const domain = /ratelimit|dailylimit/i.test(reason) ? 'usageLimits' : 'global';
  const body = {
    error: {
      code: status,
      message,
      errors: [{ message, domain, reason }],
      ...(statusNames[status] !== undefined && { status: statusNames[status] }),
    },
  };
  return { status, body, headers };
}

export const notFound = (): Refusal => new Refusal(404, 'Requested entity was not found.');
