import type { UserId } from '../lib/ids.ts';
import { type Tx, together } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { dropChallenges } from './challenge.ts';
import { hashOfToken } from './secret-token.ts';

/** Ends a session: its access tokens are refused from the commit on. */
export async function endSession(tx: Tx, sessionId: string): Promise<void> {
  await tx.run(sql`update sessions set ended_at = ${tx.now} where id = ${sessionId} and ended_at is null`);
}

/** Ends the session that a refresh token, spent or not, belongs to; an unknown one ends nothing. */
export async function endSessionOf(tx: Tx, refreshToken: string): Promise<void> {
  await tx.run(sql`
    update sessions set ended_at = ${tx.now}
    where id = (select session_id from refresh_tokens where token_hash = ${hashOfToken(refreshToken)}) and ended_at is null`);
}

/** @returns false when the person has no such session, or it has ended already */
export async function endOwnSession(tx: Tx, { userId, sessionId }: { userId: UserId; sessionId: string }) {
  const ended = await tx.run(sql`
    update sessions set ended_at = ${tx.now}
    where id = ${sessionId} and user_id = ${userId} and ended_at is null`);
  return ended > 0;
}

/** Ends every session of a person but the one that is kept, and every sign-in that still waits for its code. */
export async function endSessions(tx: Tx, { userId, except }: { userId: UserId; except: string | null }) {
  await together([
    tx.run(sql`
      update sessions set ended_at = ${tx.now}
      where user_id = ${userId} and id is distinct from ${except}::uuid and ended_at is null`),
    dropChallenges(tx, userId),
  ]);
}
