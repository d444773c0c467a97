import type { AuditEvents } from '../../ground/catalog/audit.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { auditAccount } from '../audit/audit.ts';
import { dropChallenges } from './challenge.ts';
import { lockAccount } from './lock-account.ts';
import { hashOfToken } from './secret-token.ts';

/** Ends a session whose refresh token was stolen. Its access tokens are refused from the commit on. */
export async function endReusedSession(tx: Tx, sessionId: string): Promise<void> {
  await endWhere(tx, sql`id = ${sessionId}`, 'reused');
}

/** Ends the session of a refresh token, spent or not. Does nothing for an unknown token. */
export async function endSessionOf(tx: Tx, refreshToken: string): Promise<void> {
  const ofToken = sql`id = (select session_id from refresh_tokens where token_hash = ${hashOfToken(refreshToken)})`;
  await endWhere(tx, ofToken, 'signed_out');
}

/** @returns false when the user has no such session, or when the session has already ended */
export function endOwnSession(tx: Tx, { userId, sessionId }: { userId: UserId; sessionId: string }): Promise<boolean> {
  return endWhere(tx, sql`id = ${sessionId} and user_id = ${userId}`, 'ended');
}

async function endWhere(tx: Tx, isTheOne: Sql, reason: AuditEvents['session.ended']['reason']): Promise<boolean> {
  // A repeated sign-out may reach another process than the first: it clears its cache too.
  tx.revokes();
  const ended = await tx.maybe<{ sessionId: string; userId: UserId }>(sql`
    update sessions set ended_at = ${tx.now}
    where ${isTheOne} and ended_at is null
    returning id as "sessionId", user_id as "userId"`);
  if (ended === undefined) return false;
  const { userId, sessionId } = ended;
  // The sender of a reused token may be a thief, so the audit log does not name the owner as actor.
  const isByOwner = reason !== 'reused';
  await together([
    tx.run(sql`delete from push_subscriptions where session_id = ${sessionId}`),
    auditAccount(tx, { type: 'session.ended', userId, isByOwner, data: { sessionId, reason } }),
  ]);
  return true;
}

/** Ends every session of a user except the named session. Drops every sign-in that still waits for its code. */
export async function endSessions(tx: Tx, { userId, except }: { userId: UserId; except: string | null }) {
  tx.revokes();
  await lockAccount(tx, userId);
  const [count] = await together([
    tx.run(sql`
      update sessions set ended_at = ${tx.now}
      where user_id = ${userId} and id is distinct from ${except}::uuid and ended_at is null`),
    tx.run(sql`
      delete from push_subscriptions where user_id = ${userId} and session_id is distinct from ${except}::uuid`),
    dropChallenges(tx, userId),
  ]);
  if (count > 0) await auditAccount(tx, { type: 'session.others_ended', userId, data: { count } });
}
