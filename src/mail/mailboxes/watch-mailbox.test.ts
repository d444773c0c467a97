import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { openGraphEmulator } from '../../../emulators/graph.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { withAccounts } from '../../../test/worlds/with-accounts.ts';
import { emptySql, sql } from '../../ground/database/sql.ts';
import { newId, type WorkspaceId } from '../../ground/lib/ids.ts';
import type { ProviderKey } from '../providers/registry.ts';
import { getMailbox } from './queries.ts';
import { forgetWatches } from './renew-watches.ts';
import { watchMailbox } from './watch-mailbox.ts';
import { listDueWatches } from './watches.ts';

const gmail = await openGmailEmulator();
const graph = await openGraphEmulator();
afterAll(() => Promise.all([gmail.close(), graph.close()]));
const house = useHouse({
  ...gmail.settings,
  MAIL_B_TOPIC: 'projects/kontor/topics/mail',
  ...graph.settings,
  MAIL_A_WEBHOOK_SECRET: 'the secret of the webhooks',
});
// The address that validates subscriptions.
beforeAll(() => {
  house.app.config.publicUrl = house.url;
});

const hourMs = 3_600_000;
let owner: Person;
let address: string;
let named: { workspaceId: WorkspaceId; mailboxId: string };
beforeEach(async () => {
  await house.app.db.tx((tx) => tx.run(sql`update mailboxes set status = 'paused'`));
  graph.clearFaults();
  graph.clearLogs();
  gmail.clearFaults();
});

async function connect(provider: ProviderKey): Promise<void> {
  owner = await makeOwner(house);
  address = `help-${newId().slice(-8)}@shop.example`;
  const { refreshToken } = (provider === 'mail-a' ? graph : gmail).addMailbox({ address });
  const { body } = await owner.call('POST', '/mailboxes', { provider, address, refreshToken });
  named = { workspaceId: owner.workspaceId, mailboxId: body.id };
  await forgetJobs();
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update mailbox_syncs set due_at = ${tx.now}::timestamptz + interval '3 minutes'
      where workspace_id = ${named.workspaceId} and mailbox_id = ${named.mailboxId}`),
  );
}
/** Deletes the waiting jobs, so that new jobs show the work that is due. */
const forgetJobs = () => house.app.db.tx((tx) => tx.run(sql`delete from graphile_worker._private_jobs`));
const watch = () => watchMailbox(house.app, named);
const read = () => getMailbox(house.app.db, named);
const live = () =>
  graph
    .subscriptions()
    .filter((one) => one.address === address && one.end === null)
    .sort((a, b) => (a.resource < b.resource ? -1 : 1));
const asked = (operation: string) => graph.requests().filter((line) => line.operation === operation).length;
const routes = () =>
  house.app.db.rows<{ key: string }>(sql`
    select route_key as key from mailbox_routes
    where workspace_id = ${named.workspaceId} and mailbox_id = ${named.mailboxId} and route_key not like 'address:%'`);
/** The due work of the mailbox, and its waiting jobs. */
async function due(config = house.app.config): Promise<string[]> {
  const rows = await house.app.db.rows<{ key: string }>(sql`
    select key from graphile_worker.jobs where key like ${`%:${named.mailboxId}`}
    union all
    select 'mailbox.sync:' from mailbox_syncs
    where mailbox_id = ${named.mailboxId} and due_at <= ${house.clock.now()}`);
  const scope = { now: house.clock.now(), within: () => emptySql, except: () => emptySql, rowsMax: 500 };
  const watches = await listDueWatches(config, house.app.db, scope);
  const jobs = rows.map(({ key }) => key.split(':')[0] ?? '');
  return [...jobs, ...(watches.some(({ id }) => id === named.mailboxId) ? ['mailbox.watch'] : [])].sort();
}
async function moveOn(ms: number): Promise<void> {
  house.clock.advance(ms);
  await Promise.all([gmail.advance(ms), graph.advance(ms)]);
  await rest();
}

test('each folder of a Microsoft 365 mailbox is watched, and its notifications lead to the mailbox', async () => {
  await connect('mail-a');
  await watch();
  const made = live();
  expect(made.map(({ resource, clientState, notificationUrl }) => [resource, clientState, notificationUrl])).toEqual(
    ['inbox', 'sentitems'].map((folder) => [
      expect.stringContaining(folder),
      'the secret of the webhooks',
      `${house.url}/v1/webhooks/mail-a`,
    ]),
  );
  expect((await routes()).map(({ key }) => key).sort()).toEqual(made.map(({ id }) => id).sort());
  expect((await read()).watches.map(({ key }) => key)).toEqual(['inbox', 'sentitems']);
  // For mail that came before the watches existed.
  expect(await due()).toEqual(['mailbox.sync']);
});

test('a watch is renewed once it is 20 hours old, and not again within ten minutes', async () => {
  await connect('mail-a');
  await watch();
  const before = live();
  await rest();
  await watch();
  expect(asked('subscription.renew')).toBe(0);
  await settleSync();
  expect(await due()).toEqual([]);
  await moveOn(20 * hourMs);
  await settleSync();
  expect(await due()).toEqual(['mailbox.watch']);
  await watch();
  await rest();
  await watch();
  expect(asked('subscription.renew')).toBe(2);
  const after = live();
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(after[0]?.expiresAt.getTime()).toBeGreaterThan((before[0]?.expiresAt.getTime() ?? 0) + 19 * hourMs);
  expect((await read()).watches[0]?.expiresAt).toBe(after[0]?.expiresAt.toISOString());
  expect(graph.misuses()).toEqual([]);
});

/** As if all new mail had just been fetched. */
async function settleSync(): Promise<void> {
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update mailbox_syncs set synced_at = ${tx.now}, due_at = ${tx.now}::timestamptz + interval '3 minutes'
      where workspace_id = ${named.workspaceId} and mailbox_id = ${named.mailboxId}`),
  );
}

test('expired, dropped or wrongly targeted watches are replaced, and lead here', async () => {
  await connect('mail-a');
  await watch();
  const [inbox] = live();
  // The provider reports it. A repeated report, or a report about a foreign subscription, changes nothing.
  graph.lifecycle('subscriptionRemoved', [inbox?.id ?? '']);
  for (const _ of [1, 2]) {
    await house.app.db.tx((tx) => forgetWatches(tx, [inbox?.id ?? '']));
    await rest();
    await watch();
  }
  expect(live()).toHaveLength(2);
  expect((await routes()).map(({ key }) => key).sort()).toEqual(
    live()
      .map(({ id }) => id)
      .sort(),
  );
  // Expired without a report.
  for (const { id } of live()) graph.dropSubscription(id);
  await moveOn(hourMs);
  await watch();
  expect(live()).toHaveLength(2);
  // The secret has changed.
  const { config } = house.app;
  const microsoft = { ...config.microsoft, webhookSecrets: ['another secret', ...config.microsoft.webhookSecrets] };
  const app = { ...house.app, config: { ...config, microsoft } };
  await rest();
  expect(await due(app.config)).toContain('mailbox.watch');
  await watchMailbox(app, named);
  expect(live().map(({ clientState }) => clientState)).toEqual(['another secret', 'another secret']);
  expect((await routes()).map(({ key }) => key).sort()).toEqual(
    live()
      .map(({ id }) => id)
      .sort(),
  );
});

test.each([
  ['the secret is another one', ['another secret'], async () => {}],
  [
    'it was connected anew',
    [],
    async () => {
      await owner.call('POST', `/mailboxes/${named.mailboxId}/pause`);
      const refreshToken = graph.giveRefreshToken(address);
      expect((await owner.call('POST', '/mailboxes', { provider: 'mail-a', address, refreshToken })).status).toBe(201);
    },
  ],
])(
  'where Graph takes two subscriptions to the same and lists none, no old one is left when %s',
  async (_what, secrets, act) => {
    graph.behave({ takesTwins: true });
    await connect('mail-a');
    await watch();
    const before = live().map(({ id }) => id);
    await act();
    await rest();
    const { config } = house.app;
    const microsoft = { ...config.microsoft, webhookSecrets: [...secrets, ...config.microsoft.webhookSecrets] };
    await watchMailbox({ ...house.app, config: { ...config, microsoft } }, named);
    graph.behave({ takesTwins: false });
    expect(live()).toHaveLength(2);
    expect(live().filter(({ id }) => before.includes(id))).toEqual([]);
  },
);

test('a mailbox whose provider cannot notify stays active, says so, and the watch is tried again', async () => {
  await connect('mail-a');
  const { config } = house.app;
  const unreachable = { ...house.app, config: { ...config, publicUrl: 'http://127.0.0.1:9' } };
  await watchMailbox(unreachable, named);
  expect(await read()).toMatchObject({
    status: 'active',
    statusReason: expect.stringMatching(/^New mail is only looked for every few minutes.*PUBLIC_URL/),
    watches: [],
  });
  await settleSync();
  // Not at once.
  expect(await due()).toEqual([]);
  await watch();
  expect(live()).toEqual([]);
  await rest();
  expect(await due()).toEqual(['mailbox.watch']);
  await watch();
  expect(await read()).toMatchObject({ status: 'active', statusReason: null });
  expect(live()).toHaveLength(2);
});

/** As if the pause before the next attempt or renewal were over. */
async function rest(): Promise<void> {
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update mailboxes set watch_until = null where workspace_id = ${named.workspaceId} and id = ${named.mailboxId}`),
  );
}

test('ended access shows on the mailbox, and no further requests use it', async () => {
  await connect('mail-a');
  graph.revoke(address);
  await watch();
  expect(await read()).toMatchObject({ status: 'reauthorization_required', statusReason: expect.any(String) });
  expect(await due()).toEqual([]);
  graph.clearLogs();
  await watch();
  expect(graph.requests()).toEqual([]);
});

test('a mailbox in error is read at its next retry, and watched after its recovery', async () => {
  await connect('mail-b');
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update mailboxes
      set status = 'error', status_reason = 'Forbidden.'
      where workspace_id = ${named.workspaceId} and id = ${named.mailboxId}`),
  );
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update mailbox_syncs set due_at = ${tx.now}::timestamptz + interval '5 minutes'
      where workspace_id = ${named.workspaceId} and mailbox_id = ${named.mailboxId}`),
  );
  expect(await due()).toEqual([]);
  await watch();
  expect(gmail.watches(address)).toEqual([]);
  await moveOn(301_000);
  expect(await due()).toEqual(['mailbox.sync']);
  await syncMailbox(house.app, named);
  expect(await read()).toMatchObject({ status: 'active', statusReason: null });
  expect(await due()).toEqual(['mailbox.resend', 'mailbox.sync', 'mailbox.watch']);
});

test('a mailbox of Gmail has one watch, which is renewed daily', async () => {
  await connect('mail-b');
  await watch();
  await moveOn(21 * hourMs);
  expect(await due()).toEqual(['mailbox.sync', 'mailbox.watch']);
  await watch();
  expect(gmail.watches(address).map(({ state }) => state)).toEqual(['replaced', 'active']);
  expect(await routes()).toEqual([{ key: address }]);
});

test('a mailbox that is disconnected during the creation of a watch ends up without one', async () => {
  await connect('mail-a');
  const app = withAccounts(house.app, 'mail-a', (account) => ({
    watch: async (key, target) => {
      await owner.call('DELETE', `/mailboxes/${named.mailboxId}`);
      return account.watch(key, target);
    },
  }));
  await watchMailbox(app, named);
  expect(live()).toEqual([]);
  expect(await routes()).toEqual([]);
});

test('a watch of minutes is not due again at once, and nobody can watch a shared mailbox', async () => {
  await connect('mail-b');
  await watch();
  const expire = (at: Date) =>
    house.app.db.tx((tx) =>
      tx.run(sql`
        update mailbox_watches set expires_at = ${at}
        where workspace_id = ${named.workspaceId} and mailbox_id = ${named.mailboxId}`),
    );
  await settleSync();
  expect(await due()).toEqual([]);
  await rest();
  await expire(new Date(house.clock.now().getTime() + 60_000));
  expect(await due()).toEqual([]);
  await expire(house.clock.now());
  expect(await due()).toEqual(['mailbox.watch']);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update mailboxes set delegate_address = 'ann@shop.example'
      where workspace_id = ${named.workspaceId} and id = ${named.mailboxId}`),
  );
  expect(await due()).toEqual([]);
});

test('a mailbox rests after a fault that is not the provider’s', async () => {
  await connect('mail-b');
  const app = withAccounts(house.app, 'mail-b', () => ({ watch: () => Promise.reject(new Error('a defect')) }));
  await expect(watchMailbox(app, named)).rejects.toThrow('a defect');
  await settleSync();
  expect(await due()).toEqual([]);
  await rest();
  expect(await due()).toEqual(['mailbox.watch']);
});

test('of two processes that watch a mailbox at once one continues', async () => {
  await connect('mail-a');
  await Promise.all([watch(), watch()]);
  expect(asked('subscription.create')).toBe(2);
  expect(live()).toHaveLength(2);
});
