import { type Tx, together } from '../../../ground/database/db.ts';
import { rateLimited } from '../../../ground/lib/errors.ts';
import type { UserId } from '../../../ground/lib/ids.ts';
import { caseKey } from '../../../ground/lib/text.ts';
import { enqueue } from '../../../ground/queue/enqueue.ts';
import { findAccount } from '../../accounts/queries.ts';
import { claimTurn } from '../../accounts/throttle.ts';

const everySeconds = 60;

/**
 * Mails a new verification link, if the address has an unverified account. Throws 429 for a second call within a
 * minute, whether or not the address is known.
 */
export async function resendVerification(tx: Tx, email: string): Promise<void> {
  const [account, waitSeconds] = await together([
    findAccount(tx, email),
    claimTurn(tx, { action: 'resend-verification', subject: caseKey(email), everySeconds }),
  ]);
  if (waitSeconds > 0) {
    throw rateLimited({ name: 'verification-mails', max: 1, windowSeconds: everySeconds }, waitSeconds);
  }
  // Enqueues for unknown addresses as well, so that timing does not reveal which exist. Such a job ends without a mail.
  const userId = account?.emailVerifiedAt === null ? account.id : tx.newId<UserId>();
  await enqueue(tx, 'system-mail.send', { kind: 'verify-email', userId });
}
