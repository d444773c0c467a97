import type { Tx } from '../../src/ground/database/db.ts';
import { sql } from '../../src/ground/database/sql.ts';
import type { ProviderKey } from '../../src/mail/providers/registry.ts';
import type { House } from '../harness/harness.ts';
import { type Answer, makeOwner } from './factories.ts';
import { putMailbox } from './put-mailbox.ts';

const anHourAgo = ({ now }: Pick<Tx, 'now'>): Date => new Date(now.getTime() - 3_600_000);

/** A mailbox in its own workspace, which the provider's notifications reach by these keys. */
export async function makeRoutedMailbox(
  house: House,
  provider: ProviderKey,
  ...routeKeys: string[]
): Promise<{ workspaceId: string; mailboxId: string }> {
  const { workspaceId } = await makeOwner(house);
  const address = `${workspaceId.slice(-8)}@example.org`;
  const { id: mailboxId } = await putMailbox(house, { workspaceId, provider, address, refreshToken: 'none' });
  await house.app.db.tx(async (tx) => {
    await tx.run(sql`
      insert into mailbox_watches (workspace_id, mailbox_id, watch_key, target_hash, expires_at, renewed_at)
      values (${workspaceId}, ${mailboxId}, 'test', '', 'infinity', ${anHourAgo(tx)})`);
    for (const routeKey of routeKeys)
      await tx.run(sql`
        insert into mailbox_routes (provider, route_key, workspace_id, mailbox_id)
        values (${provider}, ${routeKey}, ${workspaceId}, ${mailboxId})`);
  });
  return { workspaceId, mailboxId };
}

/** The names of a mailbox's due sync, and of its watches that are due for renewal. */
export const syncOf = ({ mailboxId }: { mailboxId: string }) => `mailbox.sync:${mailboxId}`;
export const watchOf = ({ mailboxId }: { mailboxId: string }) => `mailbox.watch:${mailboxId}`;

/** The waiting jobs and the due work of mailboxes. Takes them away, so that the next call returns only later ones. */
export async function takeJobs({ app }: Pick<House, 'app'>): Promise<string[]> {
  const due = await app.db.rows<{ mailboxId: string; isAgain: boolean }>(sql`
    with due as (
      select workspace_id, mailbox_id, again_at is not null as is_again from mailbox_syncs
      where due_at <= ${app.clock.now()})
    update mailbox_syncs s set due_at = 'infinity', again_at = null
    from due d
    where s.workspace_id = d.workspace_id and s.mailbox_id = d.mailbox_id
    returning d.mailbox_id as "mailboxId", d.is_again as "isAgain"`);
  const watches = await app.db.tx((tx) =>
    tx.rows<{ mailboxId: string }>(sql`
      update mailbox_watches set renewed_at = ${anHourAgo(tx)} where renewed_at = 'epoch'
      returning mailbox_id as "mailboxId"`),
  );
  const rows = await app.db.rows<{ key: string }>(sql`
    delete from graphile_worker._private_jobs where key is not null returning key`);
  const syncs = due.flatMap(({ mailboxId, isAgain }) => {
    const key = syncOf({ mailboxId });
    return isAgain ? [key, `${key}:again`] : [key];
  });
  return [...rows.map(({ key }) => key), ...syncs, ...new Set(watches.map(watchOf))].sort();
}

/** Posts to a webhook as a provider would. */
export async function post(
  { url }: Pick<House, 'url'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer & { text: string }> {
  const response = await fetch(`${url}/v1/webhooks${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) };
}
