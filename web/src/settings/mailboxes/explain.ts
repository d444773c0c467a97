import { ApiError } from '../../api/client.ts';
import { reasonWords, words } from '../../words/words.ts';

/** A refused sign-in at a server. What helps is the same for both servers. */
const signIns = new Set(['imap_login', 'smtp_login']);

/** Says the reason of a refusal in place of the general sentence, and what helps. */
export function explain(error: unknown): never {
  if (error instanceof ApiError && typeof error.params.reason === 'string') {
    const code = String(error.params.code);
    const { reason } = error.params;
    if (signIns.has(code)) error.message = words(`mailboxes.refused.${code as 'imap_login' | 'smtp_login'}`);
    else error.message = reasonWords(code) ?? `${error.message} ${reason}`;
  }
  throw error;
}
