import { sql } from '../../src/ground/database/sql.ts';
import { newId, type WorkspaceId } from '../../src/ground/lib/ids.ts';
import { caseKey } from '../../src/ground/lib/text.ts';
import { sealedTokens } from '../../src/mail/mailboxes/credentials.ts';
import type { ProviderKey } from '../../src/mail/providers/registry.ts';
import type { House } from '../harness/harness.ts';

export type HostedMailbox = { id: string; workspaceId: WorkspaceId; provider: ProviderKey; address: string };

type NewMailbox = Omit<HostedMailbox, 'id'> & {
  refreshToken: string;
  signature?: string;
  defaultAssigneeId?: string;
  defaultTags?: string[];
  historyDays?: number;
};

const dayMs = 86_400_000;

/**
 * Makes a connected mailbox directly in the tables, since other tests cover connecting. It is due in a day, so that
 * only a test's own syncs read it.
 */
export async function putMailbox({ app }: Pick<House, 'app'>, mailbox: NewMailbox): Promise<HostedMailbox> {
  const { workspaceId, provider, address, refreshToken, signature = null, defaultAssigneeId = null } = mailbox;
  const { defaultTags = [], historyDays = 0 } = mailbox;
  const id = newId();
  await app.db.tx(async (tx) => {
    const since = historyDays > 0 ? new Date(tx.now.getTime() - historyDays * dayMs) : null;
    await tx.run(sql`
      insert into mailboxes (workspace_id, id, provider, address, address_key, status, status_changed_at, signature,
        default_assignee_id, default_tags, history_days, connected_at, created_at, updated_at)
      values (${workspaceId}, ${id}, ${provider}, ${address}, ${caseKey(address)}, 'active', ${tx.now}, ${signature},
        ${defaultAssigneeId}, ${defaultTags}::text[], ${historyDays}, ${tx.now}, ${tx.now}, ${tx.now})`);
    await tx.run(sql`
      insert into mailbox_syncs (workspace_id, mailbox_id, history_page, history_since, due_at)
      values (${workspaceId}, ${id}, ${since === null ? null : ''}, ${since}, ${new Date(tx.now.getTime() + dayMs)})`);
  });
  await setTokens({ app }, { workspaceId, id }, refreshToken);
  return { id, workspaceId, provider, address };
}

/** Seals the tokens as connecting does. */
async function setTokens(
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
