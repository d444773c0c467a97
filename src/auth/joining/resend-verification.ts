import { findAccount } from '../../accounts/queries.ts';
import { claimTurn } from '../../accounts/throttle.ts';
import { type Tx, together } from '../../database/db.ts';
import { rateLimited } from '../../lib/errors.ts';
import { caseKey } from '../../lib/text.ts';
import { enqueue } from '../../queue/enqueue.ts';

const everySeconds = 60;

/** Mails a new verification link, if there is someone to verify. Once a minute an address, known or not: else 429. */
export async function resendVerification(tx: Tx, email: string): Promise<void> {
  const [account, waitSeconds] = await together([
    findAccount(tx, email),
    claimTurn(tx, { action: 'resend-verification', subject: caseKey(email), everySeconds }),
  ]);
  if (waitSeconds > 0) {
    throw rateLimited({ name: 'verification-mails', max: 1, windowSeconds: everySeconds }, waitSeconds);
  }
  // For nobody too: the job finds no one and ends, and the time tells nothing.
  const userId = account?.emailVerifiedAt === null ? account.id : tx.newId();
  await enqueue(tx, 'system-mail.send', { kind: 'verify-email', userId });
}
