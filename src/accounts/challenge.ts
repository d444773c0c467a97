import type { Queryable, Tx } from '../database/db.ts';
import { sql } from '../database/sql.ts';
import type { UserId, WorkspaceId } from '../lib/ids.ts';
import { hashOfToken, newSecretToken } from './secret-token.ts';

/** A sign-in that waits for its code. */
export type Challenge = {
  userId: UserId;
  /** As it was asked for; null: the one last used. */
  workspaceId: WorkspaceId | null;
  /** The invitation to that workspace which is accepted with the code. */
  inviteId: string | null;
};

/** Long enough to find the phone. */
export const challengeSeconds = 300;

/** @returns the token that stands for what was shown already, the password or an identity token */
export async function startChallenge(tx: Tx, { userId, workspaceId, inviteId }: Challenge): Promise<string> {
  const { token, tokenHash } = newSecretToken();
  await tx.run(sql`
    insert into sign_in_challenges (token_hash, user_id, workspace_id, invite_id, created_at, expires_at)
    values (${tokenHash}, ${userId}, ${workspaceId}, ${inviteId}, ${tx.now},
      ${tx.now}::timestamptz + make_interval(secs => ${challengeSeconds}))`);
  return token;
}

/** @returns undefined when it was met, ran out or is unknown */
export function findChallenge(db: Queryable, token: string, now: Date): Promise<Challenge | undefined> {
  return db.maybe<Challenge>(sql`
    select user_id as "userId", workspace_id as "workspaceId", invite_id as "inviteId"
    from sign_in_challenges
    where token_hash = ${hashOfToken(token)} and expires_at > ${now}`);
}

/** @returns false when another call has met it, or it was dropped, since it was found */
export async function spendChallenge(tx: Tx, token: string): Promise<boolean> {
  return (await tx.run(sql`delete from sign_in_challenges where token_hash = ${hashOfToken(token)}`)) > 0;
}

/** What was shown for them no longer counts: the password is another one, or the second factor is. */
export async function dropChallenges(tx: Tx, userId: UserId): Promise<void> {
  await tx.run(sql`delete from sign_in_challenges where user_id = ${userId}`);
}
