import { ApiError } from '../../api/client.ts';

/** Adds the reason, which tells what helps. */
export function explain(error: unknown): never {
  if (error instanceof ApiError && typeof error.params.reason === 'string')
    error.message = `${error.message} ${error.params.reason}`;
  throw error;
}
