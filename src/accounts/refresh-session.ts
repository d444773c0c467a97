import type { UserId, WorkspaceId } from '../lib/ids.ts';
import type { Tx } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { endReusedSession } from './end-session.ts';
import { hashOfToken, newSecretToken } from './secret-token.ts';
import { refreshTokenDays } from './start-session.ts';

/** A session whose next refresh token this one may be spent for. */
export type Claim = Omit<FoundToken, 'isSpent' | 'isRetry'> & { ok: true; tokenHash: Buffer };

export type ClaimOutcome =
  | Claim
  | { ok: false; reason: 'unknown' }
  | { ok: false; reason: 'reused'; sessionId: string };

type FoundToken = {
  sessionId: string;
  userId: UserId;
  /** The session's own. */
  workspaceId: WorkspaceId | null;
  /** Where the person was last, in whichever session. */
  lastWorkspaceId: WorkspaceId | null;
  isSpent: boolean;
  isRetry: boolean;
};

/** A client that lost the answer asks again with the token it has. */
const retrySeconds = 10;

/**
 * Finds whose refresh token this is, before it is spent for the next one. A spent one that comes again was stolen, from the client
 * or by it: the session ends. Except for a client's retry: shortly after the rotation, and while nobody has used what it
 * brought, the unused token dies for another one. The outcome is to be committed in every case.
 */
export async function claimSession(tx: Tx, token: string): Promise<ClaimOutcome> {
  const tokenHash = hashOfToken(token);
  const found = await lockToken(tx, tokenHash);
  if (found === undefined) return { ok: false, reason: 'unknown' };
  const { isSpent, isRetry, ...session } = found;
  const { sessionId } = session;
  if (isSpent && !(isRetry && (await dropUnusedSuccessor(tx, sessionId, tokenHash)))) {
    await endReusedSession(tx, sessionId);
    return { ok: false, reason: 'reused', sessionId };
  }
  return { ok: true, ...session, tokenHash };
}

/** Spends the token for the next one, which it returns. Its statement may be sent along with others. */
export async function rotateToken(tx: Tx, { sessionId, tokenHash }: Claim): Promise<string> {
  const next = newSecretToken();
  await tx.run(sql`
    with spent as (
      update refresh_tokens set spent_at = ${tx.now} where token_hash = ${tokenHash} and spent_at is null
    ),
    used as (
      update sessions set last_used_at = ${tx.now} where id = ${sessionId}
    )
    insert into refresh_tokens (token_hash, session_id, parent_hash, created_at, expires_at)
    values (${next.tokenHash}, ${sessionId}, ${tokenHash}, ${tx.now},
      ${tx.now}::timestamptz + make_interval(days => ${refreshTokenDays}))`);
  return next.token;
}

/**
 * One rotation at a time: of two calls with one token the second waits for the session, and sees what the first one made of the
 * token. For that it is locked too: PostgreSQL looks again only at rows that it locks. The session
 * goes first, as with everybody who writes its tokens.
 */
function lockToken(tx: Tx, tokenHash: Buffer): Promise<FoundToken | undefined> {
  return tx.maybe<FoundToken>(sql`
    select t.session_id as "sessionId", s.user_id as "userId", s.workspace_id as "workspaceId",
      u.last_workspace_id as "lastWorkspaceId", t.spent_at is not null as "isSpent",
      coalesce(t.spent_at >= ${tx.now}::timestamptz - make_interval(secs => ${retrySeconds}), false) as "isRetry"
    from refresh_tokens t
    join sessions s on s.id = t.session_id
    join users u on u.id = s.user_id
    where t.token_hash = ${tokenHash} and t.expires_at > ${tx.now} and s.ended_at is null
    for no key update of s, t`);
}

async function dropUnusedSuccessor(tx: Tx, sessionId: string, tokenHash: Buffer): Promise<boolean> {
  const dropped = await tx.run(sql`
    delete from refresh_tokens
    where session_id = ${sessionId} and parent_hash = ${tokenHash} and spent_at is null`);
  return dropped > 0;
}
