import type { Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
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
