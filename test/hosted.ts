import type { App } from '../src/app.ts';
import { newId } from '../src/lib/ids.ts';
import { caseKey } from '../src/lib/text.ts';
import type { MailProvider, ProviderAccount, ProviderName } from '../src/mail/provider.ts';
import { sealedTokens } from '../src/mailboxes/credentials.ts';
import { sql } from '../src/platform/sql.ts';
import type { House } from './harness.ts';

export type HostedMailbox = { id: string; workspaceId: string; provider: ProviderName; address: string };

/** A connected mailbox, written straight to the tables: how one is connected is tested elsewhere. */
export async function putMailbox(
  { app }: Pick<House, 'app'>,
  mailbox: Omit<HostedMailbox, 'id'> & { refreshToken: string; signature?: string },
): Promise<HostedMailbox> {
  const { workspaceId, provider, address, refreshToken, signature = null } = mailbox;
  const id = newId();
  await app.db.tx((tx) =>
    tx.run(sql`
      insert into mailboxes (workspace_id, id, provider, address, address_key, status, status_changed_at, signature,
        connected_at, created_at, updated_at)
      values (${workspaceId}, ${id}, ${provider}, ${address}, ${caseKey(address)}, 'active', ${tx.now}, ${signature},
        ${tx.now}, ${tx.now}, ${tx.now})`),
  );
  await setTokens({ app }, { workspaceId, id }, refreshToken);
  return { id, workspaceId, provider, address };
}

/** Gives it other credentials, as connecting anew does. */
export async function setTokens(
  { app }: Pick<House, 'app'>,
  { workspaceId, id }: Pick<HostedMailbox, 'workspaceId' | 'id'>,
  refreshToken: string,
): Promise<void> {
  const tokens = { accessToken: 'none', expiresInSeconds: 0, refreshToken, scopes: null };
  const sealed = sealedTokens(app.seal, { workspaceId, id }, tokens, app.clock.now());
  await app.db.tx((tx) =>
    tx.run(sql`
      update mailboxes set refresh_token = ${sealed.refreshToken}, access_token = null, access_expires_at = null
      where workspace_id = ${workspaceId} and id = ${id}`),
  );
}

/** The same service with a provider's accounts bent at some point, as where a process dies. */
export function withAccounts(
  app: App,
  name: ProviderName,
  bend: (account: ProviderAccount) => Partial<ProviderAccount>,
): App {
  const provider = app.providers[name];
  const openAccount: MailProvider['openAccount'] = (access) => {
    const account = provider.openAccount(access);
    return { ...account, ...bend(account) };
  };
  return { ...app, providers: { ...app.providers, [name]: { ...provider, openAccount } } };
}
