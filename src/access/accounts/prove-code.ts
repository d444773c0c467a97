import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import type { Seal } from '../../ground/platform/seal.ts';
import { auditAccount } from '../audit/audit.ts';
import { checkGuesses, guessOfCode, recordWrongGuess } from './limit-guesses.ts';
import { lockAccount } from './lock-account.ts';
import { stepOfCode } from './one-time-code.ts';
import { plainCode, spendRecoveryCode } from './recovery-codes.ts';
import { resealSecret, sealContext } from './second-factor.ts';

export type CodeProof = {
  userId: UserId;
  code: string;
  ip: string;
  /** `begun`: the factor is being set up. Only its own codes prove it; recovery codes do not. */
  factor: 'confirmed' | 'begun';
};

export type ProvenBy = 'app' | 'recovery-code';

/**
 * Checks a code of an authenticator app or a recovery code. Each code works once. Records a wrong code, so the caller
 * must commit in either case.
 * @returns undefined for a wrong code
 * Throws 429 `rate_limited` after too many wrong codes, or 409 `auth.second_factor_missing` without a second factor.
 */
export async function proveCode(tx: Tx, seal: Seal, proof: CodeProof): Promise<ProvenBy | undefined> {
  const { userId, factor, ip } = proof;
  await lockAccount(tx, userId);
  // Locks the row, so that codes of one account are checked one after the other. No code works twice, and no burst of
  // guesses slips past the limit.
  const found = await tx.maybe<{ sealedSecret: string }>(sql`
    select sealed_secret as "sealedSecret"
    from second_factors
    where user_id = ${userId} and (confirmed_at is not null) = ${factor === 'confirmed'}
    for no key update`);
  if (found === undefined) throw new AppError('auth.second_factor_missing');
  const guess = guessOfCode(userId, ip);
  await checkGuesses(tx, guess, tx.now, 0);
  const code = plainCode(proof.code);
  if (/^\d{6}$/.test(code)) {
    const secret = seal.open(found.sealedSecret, sealContext(userId));
    if (await takeStep(tx, userId, stepOfCode(secret, code, tx.now))) {
      if (seal.isOutdated(found.sealedSecret)) await resealSecret(tx, seal, { userId, secret });
      return 'app';
    }
  } else if (factor === 'confirmed' && (await spendRecoveryCode(tx, { userId, code }))) {
    await auditAccount(tx, { type: 'second_factor.recovery_code_used', userId, data: {} });
    return 'recovery-code';
  }
  await together([
    recordWrongGuess(tx, guess),
    auditAccount(tx, { type: 'second_factor.refused', userId, isByOwner: false, data: {} }),
  ]);
  return undefined;
}

/** @returns false when a code of this step or of a later step was used already */
async function takeStep(tx: Tx, userId: UserId, step: number | undefined): Promise<boolean> {
  if (step === undefined) return false;
  const taken = await tx.run(sql`
    update second_factors set last_step = ${step}
    where user_id = ${userId} and (last_step is null or last_step < ${step})`);
  return taken > 0;
}
