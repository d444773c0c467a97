import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Queryable, Tx } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { Clock } from '../lib/clock.ts';
import { type MailProvider, ProviderFault, type TokenSet } from '../mail/provider.ts';
import type { Seal } from '../platform/seal.ts';
import type { Mailbox } from './queries.ts';

/** What opens a mailbox at the moment. */
export type Credentials = { token: string; expiresAt: Date };

type MailboxKey = Pick<Mailbox, 'workspaceId' | 'id'>;
type RefreshedMailbox = MailboxKey & Pick<Mailbox, 'delegateAddress'>;
type Renewing = { db: Db; seal: Seal; clock: Clock; provider: MailProvider; signal: AbortSignal | undefined };

/** Longer than any answer of a provider is waited for. */
const refreshSeconds = 60;
const pauseMs = 200;

/**
 * An access token as it is wanted: the one that is kept or, where that will not do, a new one. One process asks the provider
 * and the others wait for what it gets, as a refresh token that is replaced must not be used twice. No transaction is open
 * meanwhile: who asks is written in the row, for a minute at most, so that nobody waits for one that was killed.
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
    // Else it was connected anew meanwhile, and has other credentials.
    if (access !== undefined) return access;
  }
}

type Kept = { sealedRefreshToken: string; refreshToken: string; access: Credentials | undefined };

async function readCredentials(db: Queryable, seal: Seal, mailbox: MailboxKey): Promise<Kept> {
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

function unsealed(seal: Seal, mailbox: MailboxKey, sealed: string): string {
  try {
    return Buffer.from(seal.open(sealed, sealContext(mailbox))).toString();
  } catch (cause) {
    const sentence =
      'The credentials are sealed with a key that is not in ENCRYPTION_KEY: put it back, or connect the mailbox again.';
    throw new ProviderFault('misconfigured', 'sealed', sentence, { cause });
  }
}

/** @returns whether it is ours to ask */
async function beginRefresh(db: Db, mailbox: MailboxKey, sealedRefreshToken: string): Promise<boolean> {
  const taken = await db.tx((tx) =>
    tx.run(sql`
      update mailboxes
      set refresh_until = now() + make_interval(secs => ${refreshSeconds})
      where ${isStill(mailbox, sealedRefreshToken)} and coalesce(refresh_until < now(), true)`),
  );
  return taken === 1;
}

/** Nothing that the provider answered is used before it is kept: the refresh token that it replaced may be dead by then. */
async function refresh(
  { db, seal, clock, provider }: Omit<Renewing, 'signal'>,
  mailbox: RefreshedMailbox,
  { sealedRefreshToken, refreshToken }: Kept,
): Promise<Credentials | undefined> {
  let tokens: TokenSet;
  try {
    tokens = await provider.refresh(refreshToken, { isShared: mailbox.delegateAddress !== null });
  } catch (error) {
    const ended = await db.tx((tx) =>
      tx.run(sql`update mailboxes set refresh_until = null where ${isStill(mailbox, sealedRefreshToken)}`),
    );
    if (ended === 0) return undefined;
    throw error;
  }
  const sealed = sealedTokens(seal, mailbox, tokens, clock.now());
  const stored = await db.tx((tx) =>
    tx.run(sql`
      update mailboxes
      set refresh_token = ${sealed.refreshToken ?? sealedRefreshToken}, access_token = ${sealed.accessToken},
        access_expires_at = ${sealed.expiresAt}, refresh_until = null
      where ${isStill(mailbox, sealedRefreshToken)}`),
  );
  return stored === 0 ? undefined : { token: tokens.accessToken, expiresAt: sealed.expiresAt };
}

/** Whose credentials nobody replaced: a refresh token that is sealed anew is another text. */
function isStill({ workspaceId, id }: MailboxKey, sealedRefreshToken: string): Sql {
  return sql`workspace_id = ${workspaceId} and id = ${id} and refresh_token = ${sealedRefreshToken}`;
}

/** Keeps credentials under the first of the keys from now on. Nothing happens where they are being renewed. */
export async function reseal(tx: Tx, seal: Seal, mailbox: MailboxKey): Promise<void> {
  const row = await tx.maybe<{ refreshToken: string; accessToken: string | null }>(sql`
    select refresh_token as "refreshToken", access_token as "accessToken"
    from mailboxes
    where workspace_id = ${mailbox.workspaceId} and id = ${mailbox.id} and refresh_token is not null
      and coalesce(refresh_until < now(), true)
    for no key update`);
  if (row === undefined) return;
  const context = sealContext(mailbox);
  const anew = (sealed: string) => seal.seal(seal.open(sealed, context), context);
  await tx.run(sql`
    update mailboxes
    set refresh_token = ${anew(row.refreshToken)}, access_token = ${row.accessToken === null ? null : anew(row.accessToken)}
    where workspace_id = ${mailbox.workspaceId} and id = ${mailbox.id}`);
}

export type SealedTokens = { refreshToken: string | null; accessToken: string; expiresAt: Date };

/** What a provider gave, as the tables keep it. */
export function sealedTokens(seal: Seal, mailbox: MailboxKey, tokens: TokenSet, now: Date): SealedTokens {
  const sealed = (secret: string) => seal.seal(Buffer.from(secret), sealContext(mailbox));
  return {
    refreshToken: tokens.refreshToken === null ? null : sealed(tokens.refreshToken),
    accessToken: sealed(tokens.accessToken),
    expiresAt: new Date(now.getTime() + tokens.expiresInSeconds * 1000),
  };
}

/** Whose sealed secrets are: moved to another mailbox's row they do not open. */
const sealContext = ({ workspaceId, id }: MailboxKey): string => `mailbox:${workspaceId}:${id}`;
