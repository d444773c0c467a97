import { ApiError } from '../api/client.ts';

const repeatsMax = 3;
const waitSecondsMax = 10;

/** Whether a failed request may have had an effect, or may succeed later. */
export function isUnanswered(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500 || isBusy(error);
}

function isBusy({ status, key }: ApiError): boolean {
  return status === 429 || status === 503 || key === 'idempotency.in_progress';
}

/**
 * Repeats a request until the service has answered. Gives up after some seconds.
 * @param request must send the same Idempotency-Key each time, so that nothing happens twice
 */
export async function untilAnswered<Data>(request: () => Promise<Data>): Promise<Data> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await request();
    } catch (error) {
      if (repeats === repeatsMax || !isUnanswered(error)) throw error;
      const askedSeconds = error instanceof ApiError ? error.retryAfterSeconds : null;
      const waitMs = Math.min(askedSeconds ?? 2 ** repeats, waitSecondsMax) * 1_000;
      await new Promise((done) => setTimeout(done, waitMs));
    }
  }
}
