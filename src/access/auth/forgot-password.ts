import { type Tx, together } from '../../ground/database/db.ts';
import { rateLimited } from '../../ground/lib/errors.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';
import { findAccount } from '../accounts/queries.ts';
import { claimTurn } from '../accounts/throttle.ts';

const everySeconds = 60;

/**
 * Mails a link to set a new password, if the address has an account. Throws 429 for a second call within a minute,
 * whether or not the address is known.
 */
export async function forgotPassword(tx: Tx, email: string): Promise<void> {
  const [account, waitSeconds] = await together([
    findAccount(tx, email),
    claimTurn(tx, { action: 'forgot-password', subject: caseKey(email), everySeconds }),
  ]);
  if (waitSeconds > 0) throw rateLimited({ name: 'reset-mails', max: 1, windowSeconds: everySeconds }, waitSeconds);
  // Enqueues for unknown addresses as well, so that timing does not reveal which exist. Such a job ends without a mail.
  await enqueue(tx, 'system-mail.send', { kind: 'password-reset', userId: account?.id ?? tx.newId() });
}
