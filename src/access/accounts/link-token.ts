import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { hashOfToken, newSecretToken } from './secret-token.ts';

/**
 * The purposes of mailed links, and the hours for which each link is valid. Holding the link proves access to the
 * user's mail.
 */
const hoursOf = { 'verify-email': 48, 'password-reset': 1, 'change-email': 24 } as const;
export type UserLink = keyof typeof hoursOf;

/**
 * Creates a token for a user's link. Older tokens stay valid. The caller must hold the account's lock, or a concurrent
 * transaction that voids links would miss this token.
 * @param email the new address to which a `change-email` link is mailed
 */
export async function mintUserToken(
  tx: Tx,
  kind: UserLink,
  userId: UserId,
  email: string | null = null,
): Promise<string> {
  const { token, tokenHash } = newSecretToken();
  await tx.run(sql`
    insert into link_tokens (token_hash, kind, user_id, email, created_at, expires_at)
    values (${tokenHash}, ${kind}, ${userId}, ${email}, ${tx.now},
      ${tx.now}::timestamptz + make_interval(hours => ${hoursOf[kind]}))`);
  return token;
}

/** `handed-invitation`: the inviter hands the link over, so it does not prove access to the address's mail. */
type InvitationLink = 'invitation' | 'handed-invitation';

/** Creates a token that is valid for as long as its invitation. */
export async function mintInvitationToken(
  tx: Tx,
  kind: InvitationLink,
  invite: { workspaceId: WorkspaceId; id: string; expiresAt: string },
): Promise<string> {
  const { token, tokenHash } = newSecretToken();
  await tx.run(sql`
    insert into link_tokens (token_hash, kind, workspace_id, invite_id, created_at, expires_at)
    values (${tokenHash}, ${kind}, ${invite.workspaceId}, ${invite.id}, ${tx.now}, ${invite.expiresAt})`);
  return token;
}

/** @returns undefined when the token is spent, expired or unknown */
export function findUserToken(db: Queryable, kind: UserLink, { token, now }: { token: string; now: Date }) {
  return db.maybe<{ userId: UserId; email: string | null }>(sql`
    select user_id as "userId", email
    from link_tokens
    where token_hash = ${hashOfToken(token)} and kind = ${kind} and expires_at > ${now}`);
}

/**
 * Spends a token together with all others of its kind and user. Of two concurrent calls one gets the user.
 * @returns undefined when the token is spent, expired or unknown
 */
export async function spendUserToken(tx: Tx, kind: UserLink, token: string): Promise<UserId | undefined> {
  const tokenHash = hashOfToken(token);
  // Locks the user's row first: two links of one user, opened at once, would deadlock on each other's deletion.
  const user = await tx.maybe<{ id: UserId }>(sql`
    select u.id
    from users u
    where u.id = (
      select user_id from link_tokens
      where token_hash = ${tokenHash} and kind = ${kind} and expires_at > ${tx.now}
    )
    for no key update`);
  if (user === undefined) return undefined;
  const voided = await tx.rows<{ isTheOne: boolean }>(sql`
    delete from link_tokens
    where user_id = ${user.id} and kind = ${kind}
    returning token_hash = ${tokenHash} as "isTheOne"`);
  return voided.some(({ isTheOne }) => isTheOne) ? user.id : undefined;
}

export async function voidUserTokens(tx: Tx, kinds: readonly UserLink[], userId: UserId): Promise<void> {
  await tx.run(sql`delete from link_tokens where user_id = ${userId} and kind = any(${kinds}::text[])`);
}

export type InviteReference = { workspaceId: WorkspaceId; inviteId: string };

/** @returns undefined when the token is spent, expired or unknown */
export function findInvitationToken(
  db: Queryable,
  token: string,
  now: Date,
): Promise<(InviteReference & { provesAddress: boolean }) | undefined> {
  return db.maybe<InviteReference & { provesAddress: boolean }>(sql`
    select workspace_id as "workspaceId", invite_id as "inviteId", kind = 'invitation' as "provesAddress"
    from link_tokens
    where token_hash = ${hashOfToken(token)} and kind in ('invitation', 'handed-invitation') and expires_at > ${now}`);
}

export async function voidInvitationTokens(tx: Tx, { workspaceId, inviteId }: InviteReference): Promise<void> {
  await tx.run(sql`
    delete from link_tokens
    where workspace_id = ${workspaceId} and invite_id = ${inviteId} and kind in ('invitation', 'handed-invitation')`);
}
