import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { hashOfToken, newSecretToken } from './secret-token.ts';

/** A sign-in that waits for the code of its second factor. */
export type Challenge = {
  userId: UserId;
  /** The requested workspace; null: the workspace last used. */
  workspaceId: WorkspaceId | null;
  /** The invitation to that workspace that the sign-in accepts once the code is right. */
  inviteId: string | null;
};

/** Five minutes: long enough to find the phone. */
export const challengeSeconds = 300;

/** @returns the token that stands for the credential already proven: the password or an identity token */
export async function startChallenge(tx: Tx, { userId, workspaceId, inviteId }: Challenge): Promise<string> {
  const { token, tokenHash } = newSecretToken();
  await tx.run(sql`
    insert into sign_in_challenges (token_hash, user_id, workspace_id, invite_id, created_at, expires_at)
    values (${tokenHash}, ${userId}, ${workspaceId}, ${inviteId}, ${tx.now},
      ${tx.now}::timestamptz + make_interval(secs => ${challengeSeconds}))`);
  return token;
}

/** @returns undefined when the challenge is spent, expired or unknown */
export function findChallenge(db: Queryable, token: string, now: Date): Promise<Challenge | undefined> {
  return db.maybe<Challenge>(sql`
    select user_id as "userId", workspace_id as "workspaceId", invite_id as "inviteId"
    from sign_in_challenges
    where token_hash = ${hashOfToken(token)} and expires_at > ${now}`);
}

/** @returns false when another call spent or dropped the challenge since the caller found it */
export async function spendChallenge(tx: Tx, token: string): Promise<boolean> {
  return (await tx.run(sql`delete from sign_in_challenges where token_hash = ${hashOfToken(token)}`)) > 0;
}

/** Drops all challenges of a user, after the password or the second factor changed. */
export async function dropChallenges(tx: Tx, userId: UserId): Promise<void> {
  await tx.run(sql`delete from sign_in_challenges where user_id = ${userId}`);
}
