import type { Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { endReusedSession } from './end-session.ts';
import { hashOfToken, newSecretToken } from './secret-token.ts';
import { refreshTokenDays, type StartedSession } from './start-session.ts';

export type RefreshedSession = StartedSession & {
  userId: UserId;
  /** The workspace of the session. */
  workspaceId: WorkspaceId | null;
};

/** A client that lost the response retries with its old token. */
const retrySeconds = 10;

export type RotateOptions = {
  /** Whether `judgeToken` has just accepted the token although it is spent. */
  isFoundGood: boolean;
};

/**
 * Exchanges a refresh token for the next token. Of two calls with one token the second waits for the first, and then
 * sees that the token is spent.
 * @returns undefined when the token is spent, expired, unknown, or its session has ended. `judgeToken` finds out which.
 */
export async function rotateToken(
  tx: Tx,
  token: string,
  { isFoundGood }: RotateOptions,
): Promise<RefreshedSession | undefined> {
  const tokenHash = hashOfToken(token);
  const next = newSecretToken();
  const found = await tx.maybe<Omit<RefreshedSession, 'refreshToken'>>(sql`
    with spent as (
      update refresh_tokens set spent_at = coalesce(spent_at, ${tx.now})
      where token_hash = ${tokenHash} and expires_at > ${tx.now} and (spent_at is null or ${isFoundGood})
      returning session_id
    ),
    used as (
      update sessions set last_used_at = ${tx.now}
      where id = (select session_id from spent) and ended_at is null
      returning id, user_id, workspace_id
    ),
    following as (
      insert into refresh_tokens (token_hash, session_id, parent_hash, created_at, expires_at)
      select ${next.tokenHash}, used.id, ${tokenHash}, ${tx.now}::timestamptz,
        ${tx.now}::timestamptz + make_interval(days => ${refreshTokenDays})
      from used
    )
    select used.id as "sessionId", used.user_id as "userId", used.workspace_id as "workspaceId" from used`);
  return found && { ...found, refreshToken: next.token };
}

export type Verdict = { kind: 'unknown' | 'good' } | { kind: 'reused'; sessionId: string };

/**
 * Finds out why `rotateToken` refused a token. A spent token that comes again was stolen: either this caller or the
 * earlier caller is a thief, so the session ends. A client's retry is the exception: shortly after the rotation, while
 * nobody has used the new token, that token is deleted and the client gets another. The caller must always commit.
 */
export async function judgeToken(tx: Tx, token: string): Promise<Verdict> {
  const tokenHash = hashOfToken(token);
  const found = await lockToken(tx, tokenHash);
  if (found === undefined) return { kind: 'unknown' };
  const { sessionId, isSpent, isRetry } = found;
  if (!isSpent || (isRetry && (await dropUnusedSuccessor(tx, sessionId, tokenHash)))) return { kind: 'good' };
  await endReusedSession(tx, sessionId);
  return { kind: 'reused', sessionId };
}

type FoundToken = { sessionId: string; isSpent: boolean; isRetry: boolean };

/**
 * Locks the token but not the session. `rotateToken` locks the token first and then the session. A call that held the
 * session while it waits for the successor's row would deadlock with it.
 */
function lockToken(tx: Tx, tokenHash: Buffer): Promise<FoundToken | undefined> {
  return tx.maybe<FoundToken>(sql`
    select t.session_id as "sessionId", t.spent_at is not null as "isSpent",
      coalesce(t.spent_at >= ${tx.now}::timestamptz - make_interval(secs => ${retrySeconds}), false) as "isRetry"
    from refresh_tokens t
    join sessions s on s.id = t.session_id
    where t.token_hash = ${tokenHash} and t.expires_at > ${tx.now} and s.ended_at is null
    for no key update of t`);
}

async function dropUnusedSuccessor(tx: Tx, sessionId: string, tokenHash: Buffer): Promise<boolean> {
  const dropped = await tx.run(sql`
    delete from refresh_tokens
    where session_id = ${sessionId} and parent_hash = ${tokenHash} and spent_at is null`);
  return dropped > 0;
}
