import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Queryable, Tx } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import type { Clock } from '../../ground/lib/clock.ts';
import type { Seal } from '../../ground/platform/seal.ts';
import { isFree, leaseEnded, takeLease } from '../../ground/queue/lease.ts';
import type { OAuthProvider, TokenSet } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import type { Mailbox } from './queries.ts';

/** The access token of a mailbox. */
export type Credentials = { token: string; expiresAt: Date };

export type CredentialsOwner = Pick<Mailbox, 'workspaceId' | 'id'>;
type RefreshedMailbox = CredentialsOwner & Pick<Mailbox, 'delegateAddress'>;
type Renewing = {
  db: Db;
  seal: Seal;
  clock: Clock;
  provider: Pick<OAuthProvider, 'refresh'>;
  signal: AbortSignal | undefined;
};

const pauseMs = 200;

/**
 * Returns the saved access token if `isWanted` accepts it, otherwise a new token. One process refreshes and the others
 * wait, because a rotated refresh token must not be used twice. No transaction stays open meanwhile: the row holds a
 * lease of a minute, so a killed process blocks nobody for longer.
 */
export async function freshAccess(
  { db, seal, clock, provider, signal }: Renewing,
  mailbox: RefreshedMailbox,
  isWanted: (access: Credentials) => boolean,
): Promise<Credentials> {
  for (;;) {
    signal?.throwIfAborted();
    const kept = await readCredentials(db, seal, mailbox);
    if (kept.access !== undefined && isWanted(kept.access)) return kept.access;
    if (!(await beginRefresh(db, mailbox, kept.sealedRefreshToken))) {
      await sleep(pauseMs, undefined, signal === undefined ? {} : { signal });
      continue;
    }
    const access = await refresh({ db, seal, clock, provider }, mailbox, kept);
    // Somebody connected the mailbox again meanwhile, so it has other credentials.
    if (access !== undefined) return access;
  }
}

type StoredCredentials = { sealedRefreshToken: string; refreshToken: string; access: Credentials | undefined };

async function readCredentials(db: Queryable, seal: Seal, mailbox: CredentialsOwner): Promise<StoredCredentials> {
  const row = await db.maybe<{ refreshToken: string; accessToken: string | null; expiresAt: string | null }>(sql`
    select refresh_token as "refreshToken", access_token as "accessToken", access_expires_at as "expiresAt"
    from mailboxes
    where workspace_id = ${mailbox.workspaceId} and id = ${mailbox.id} and refresh_token is not null`);
  if (row === undefined)
    throw new ProviderFault('unauthorized', 'disconnected', 'The mailbox is disconnected: connect it again.');
  const { accessToken, expiresAt } = row;
  return {
    sealedRefreshToken: row.refreshToken,
    refreshToken: unsealed(seal, mailbox, row.refreshToken),
    access:
      accessToken === null || expiresAt === null
        ? undefined
        : { token: unsealed(seal, mailbox, accessToken), expiresAt: new Date(expiresAt) },
  };
}

export function unsealed(seal: Seal, mailbox: CredentialsOwner, sealed: string): string {
  try {
    return Buffer.from(seal.open(sealed, sealContext(mailbox))).toString();
  } catch (cause) {
    const sentence =
      'The credentials are sealed with a key that is not in ENCRYPTION_KEY: put it back, or connect the mailbox again.';
    throw new ProviderFault('misconfigured', 'sealed', sentence, { cause });
  }
}

/** @returns whether this process may refresh */
async function beginRefresh(db: Db, mailbox: CredentialsOwner, sealedRefreshToken: string): Promise<boolean> {
  const when = sql`l.refresh_token = ${sealedRefreshToken}`;
  return (await db.tx((tx) => takeLease(tx, 'refresh', mailbox, { when }))) !== undefined;
}

/** Saves the provider's tokens before using them: the replaced refresh token may already be dead. */
async function refresh(
  { db, seal, clock, provider }: Omit<Renewing, 'signal'>,
  mailbox: RefreshedMailbox,
  { sealedRefreshToken, refreshToken }: StoredCredentials,
): Promise<Credentials | undefined> {
  let tokens: TokenSet;
  try {
    tokens = await provider.refresh(refreshToken, { isShared: mailbox.delegateAddress !== null });
  } catch (error) {
    const ended = await db.tx((tx) =>
      tx.run(sql`update mailboxes set ${leaseEnded('refresh')} where ${isStill(mailbox, sealedRefreshToken)}`),
    );
    if (ended === 0) return undefined;
    throw error;
  }
  const sealed = sealedTokens(seal, mailbox, tokens, clock.now());
  const stored = await db.tx((tx) =>
    tx.run(sql`
      update mailboxes
      set refresh_token = ${sealed.refreshToken ?? sealedRefreshToken}, access_token = ${sealed.accessToken},
        access_expires_at = ${sealed.expiresAt}, ${leaseEnded('refresh')}
      where ${isStill(mailbox, sealedRefreshToken)}`),
  );
  return stored === 0 ? undefined : { token: tokens.accessToken, expiresAt: sealed.expiresAt };
}

/** The row, if its credentials are unchanged. Resealing changes the text even of an equal refresh token. */
function isStill({ workspaceId, id }: CredentialsOwner, sealedRefreshToken: string): Sql {
  return sql`workspace_id = ${workspaceId} and id = ${id} and refresh_token = ${sealedRefreshToken}`;
}

/** Seals the credentials with the first key. Does nothing while a process refreshes them. */
export async function reseal(tx: Tx, seal: Seal, mailbox: CredentialsOwner): Promise<void> {
  const row = await tx.maybe<{ refreshToken: string; accessToken: string | null }>(sql`
    select refresh_token as "refreshToken", access_token as "accessToken"
    from mailboxes m
    where workspace_id = ${mailbox.workspaceId} and id = ${mailbox.id} and refresh_token is not null
      and ${isFree('refresh', 'm')}
    for no key update`);
  if (row === undefined) return;
  const context = sealContext(mailbox);
  const anew = (sealed: string) => seal.seal(seal.open(sealed, context), context);
  await tx.run(sql`
    update mailboxes
    set refresh_token = ${anew(row.refreshToken)},
      access_token = ${row.accessToken === null ? null : anew(row.accessToken)}
    where workspace_id = ${mailbox.workspaceId} and id = ${mailbox.id}`);
}

export type SealedTokens = { refreshToken: string | null; accessToken: string; expiresAt: Date };

/** The provider's tokens in the form that the table stores. */
export function sealedTokens(seal: Seal, mailbox: CredentialsOwner, tokens: TokenSet, now: Date): SealedTokens {
  const sealed = (secret: string) => seal.seal(Buffer.from(secret), sealContext(mailbox));
  return {
    refreshToken: tokens.refreshToken === null ? null : sealed(tokens.refreshToken),
    accessToken: sealed(tokens.accessToken),
    expiresAt: new Date(now.getTime() + tokens.expiresInSeconds * 1000),
  };
}

/** Binds sealed secrets to their mailbox: copied into another row they do not open. */
export const sealContext = ({ workspaceId, id }: CredentialsOwner): string => `mailbox:${workspaceId}:${id}`;
