import type { Tx } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { WorkspaceId } from '../lib/ids.ts';
import { endReusedSession } from './end-session.ts';
import { userColumns } from './queries.ts';
import type { User } from './schema.ts';
import { hashOfToken, newSecretToken } from './secret-token.ts';
import { refreshTokenDays, type StartedSession } from './start-session.ts';

export type RefreshedSession = StartedSession & {
  user: User;
  /** The session's own. */
  workspaceId: WorkspaceId | null;
  /** Where the person was last, in whichever session. */
  lastWorkspaceId: WorkspaceId | null;
};

/** A client that lost the answer asks again with the token it has. */
const retrySeconds = 10;

export type RotateOptions = {
  /** Whether `judgeToken` has just found it good, spent though it is. */
  isFoundGood: boolean;
};

/**
 * Spends a refresh token for the next one. Of two calls with one token the second waits for the first, and sees that it is spent. May be
 * sent along with others.
 * @returns undefined when it is none of a session that lasts, or is spent: `judgeToken` tells
 */
export async function rotateToken(
  tx: Tx,
  token: string,
  { isFoundGood }: RotateOptions,
): Promise<RefreshedSession | undefined> {
  const tokenHash = hashOfToken(token);
  const next = newSecretToken();
  const found = await tx.maybe<User & Omit<RefreshedSession, 'user' | 'refreshToken'>>(sql`
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
    select ${userColumns}, used.id as "sessionId", used.workspace_id as "workspaceId",
      u.last_workspace_id as "lastWorkspaceId"
    from used
    join users u on u.id = used.user_id`);
  if (found === undefined) return undefined;
  const { sessionId, workspaceId, lastWorkspaceId, ...user } = found;
  return { sessionId, refreshToken: next.token, user, workspaceId, lastWorkspaceId };
}

/** Whose refresh token this is, spent or not, as a value of a statement. */
export function ownerOf(token: string): Sql {
  return sql`(
    select s.user_id from refresh_tokens t join sessions s on s.id = t.session_id
    where t.token_hash = ${hashOfToken(token)})`;
}

export type Verdict = { kind: 'unknown' | 'good' } | { kind: 'reused'; sessionId: string };

/**
 * Why a refresh token was not to be spent. A spent one that comes again was stolen, from the client or by it: the session ends.
 * Except for a client's retry: shortly after the rotation, and while nobody has used what it brought, the unused token
 * dies for another one. The verdict is to be committed in every case.
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
 * The token, but not the session: whoever spends a token holds that before the session, so one that waits for the successor with
 * the session in its hands would be waited for.
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
