import { ApiError } from '../api/client.ts';
import { words } from '../words/words.ts';

/** The sentence of a failed request, for a toast: the API's own, or that the service did not answer. */
export function faultWords(error: unknown): string {
  return error instanceof ApiError ? error.message : words('error.network');
}
