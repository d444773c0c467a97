import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { ingestNow } from '../../../test/harness/ingest-now.ts';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ticketsOf } from '../../../test/worlds/mails.ts';
import { type HostedMailbox, putMailbox } from '../../../test/worlds/put-mailbox.ts';
import { withAccounts } from '../../../test/worlds/with-accounts.ts';
import type { App } from '../../app.ts';
import { sql } from '../../ground/database/sql.ts';
import { getMailbox } from '../../mail/mailboxes/queries.ts';
import { ProviderFault } from '../../mail/provider-fault.ts';
import { syncMailbox as syncDueMailbox } from './sync/sync-mailbox.ts';

const now = () => house.clock?.now() ?? new Date();
const gmail = await openGmailEmulator({ now, unitsPerMinute: 1_000_000 });
afterAll(() => gmail.close());

const house = useHouse(gmail.settings);
const address = 'desk@office.example';
let owner: Person;
let mailbox: HostedMailbox;

beforeAll(async () => {
  owner = await makeOwner(house);
  const { workspaceId } = owner;
  const { refreshToken } = gmail.addMailbox({ address });
  mailbox = await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken });
  await syncMailbox(house.app, { workspaceId, mailboxId: mailbox.id });
});

/** Access tokens last an hour. */
const signInAgain = async () => {
  owner = await makeMember(house, owner.workspaceId, 'owner');
};
const deliver = (mail: { subject: string; text?: string }) => gmail.deliver(address, mail, { receivedAt: now() });
const named = () => ({ workspaceId: owner.workspaceId, mailboxId: mailbox.id });
const sync = (app: App = house.app) => syncMailbox(app, named());
const failing = (fault: () => Error) =>
  withAccounts(house.app, 'mail-b', () => ({
    // biome-ignore lint/correctness/useYield: it fails before it has anything to yield
    async *changes() {
      throw fault();
    },
  }));
const row = () =>
  house.app.db.one<any>(sql`
    select s.lease_holder, s.failures, s.last_fault, s.not_before, m.status, m.status_reason as reason
    from mailbox_syncs s
    join mailboxes m on m.workspace_id = ${owner.workspaceId} and m.id = s.mailbox_id
    where s.workspace_id = ${owner.workspaceId} and s.mailbox_id = ${mailbox.id}`);
const dueInMs = async () => {
  const { dueAt } = await house.app.db.one<{ dueAt: string }>(sql`
    select greatest(due_at, not_before) as "dueAt" from mailbox_syncs
    where workspace_id = ${owner.workspaceId} and mailbox_id = ${mailbox.id}`);
  return Date.parse(dueAt) - now().getTime();
};

test('a mailbox whose lease holder was killed is read once the lease expires', async () => {
  await deliver({ subject: 'Held up' });
  const hold = (seconds: number) =>
    house.app.db.tx((tx) =>
      tx.run(sql`
        update mailbox_syncs set lease_holder = ${tx.newId()}, lease_until = now() + make_interval(secs => ${seconds})
        where workspace_id = ${owner.workspaceId} and mailbox_id = ${mailbox.id}`),
    );
  await hold(50);
  await sync();
  await house.drain();
  expect(await ticketsOf(owner)).toEqual([]);
  await hold(-1);
  await house.drain();
  expect(await ticketsOf(owner)).toMatchObject([{ subject: 'Held up' }]);
  expect(await row()).toMatchObject({ lease_holder: null });
});

test('a worker that has retried mails for long leaves the rest to another sync', async () => {
  await sync();
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into mailbox_stuck_mails (workspace_id, mailbox_id, provider_id, folder, attempts, next_attempt_at)
      select ${owner.workspaceId}, ${mailbox.id}, 'gone-' || n, 'inbox', 0, ${tx.now}
      from generate_series(1, 150) n`),
  );
  let elapsedMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (elapsedMs += 30_000));
  await sync().finally(() => clock.mockRestore());
  expect(await dueInMs()).toBeLessThanOrEqual(0);
  const left = sql`select from mailbox_stuck_mails where workspace_id = ${owner.workspaceId} and attempts = 0`;
  expect(await house.app.db.rows(left)).toHaveLength(50);
  await house.app.db.tx((tx) => tx.run(sql`delete from mailbox_stuck_mails where workspace_id = ${owner.workspaceId}`));
});

test('a mailbox that is reconnected during a sync keeps the new connection’s cursor', async () => {
  const app = withAccounts(house.app, 'mail-b', (account) => ({
    async *changes(cursor) {
      for await (const page of account.changes(cursor)) {
        await house.app.db.tx((tx) =>
          tx.run(sql`
            update mailbox_syncs set lease_holder = null, lease_until = null, cursor = null
            where workspace_id = ${owner.workspaceId} and mailbox_id = ${mailbox.id}`),
        );
        yield page;
      }
    },
  }));
  await sync(app);
  const { cursor } = await house.app.db.one<{ cursor: string | null }>(sql`
    select cursor from mailbox_syncs where workspace_id = ${owner.workspaceId} and mailbox_id = ${mailbox.id}`);
  expect(cursor).toBeNull();
  await sync();
});

test('a throttled mailbox rests as long as its provider asks, and then continues by itself', async () => {
  let asked = 0;
  const throttled = () => {
    asked++;
    return new ProviderFault('throttled', '429', 'slowly', { retryAfterMs: 30_000 });
  };
  await sync(failing(throttled));
  await sync(failing(throttled));
  expect(asked).toBe(1);
  expect(await dueInMs()).toBeGreaterThan(20_000);
  expect(await row()).toMatchObject({ failures: 1, last_fault: '429', lease_holder: null, status: 'active' });
  house.clock.advance(31_000);
  await sync();
  expect(await row()).toMatchObject({ failures: 0, last_fault: null, not_before: null });
});

test('a mailbox whose provider is out of order for hours, by its word, is still read every minute', async () => {
  const away = () => new ProviderFault('unavailable', '503', 'out of order', { retryAfterMs: 3_600_000 });
  await expect(sync(failing(away))).rejects.toThrow('out of order');
  expect(await dueInMs()).toBeLessThanOrEqual(64_000);
  await sync();
});

test('an unreachable mailbox is read again after growing pauses', async () => {
  const away = () => new ProviderFault('unavailable', '503', 'The provider is away.');
  await expect(sync(failing(away))).rejects.toThrow('The provider is away.');
  expect(await row()).toMatchObject({ failures: 1, last_fault: '503', lease_holder: null, status: 'active' });
  for (const pauseMs of [1_000, 2_000, 4_000]) {
    const dueIn = await dueInMs();
    expect(dueIn).toBeGreaterThan(0);
    expect(dueIn).toBeLessThanOrEqual(pauseMs);
    house.clock.advance(dueIn);
    await expect(syncDueMailbox(failing(away), named())).rejects.toThrow('The provider is away.');
  }
  const { lastSyncedAt, unreachableSince } = await getMailbox(house.app.db, named());
  expect(unreachableSince).toBe(lastSyncedAt);
  await sync();
  expect((await getMailbox(house.app.db, named())).unreachableSince).toBeNull();
});

test('a mail that cannot be fetched does not block the others, and comes later', async () => {
  const subjects = ['One', 'Two', 'Three'];
  for (const subject of subjects) await deliver({ subject, text: subject });
  const [, stuckId] = gmail
    .mails(address)
    .slice(-3)
    .map(({ id }) => id);
  const refusing = (kind: 'refused' | 'unavailable') =>
    withAccounts(house.app, 'mail-b', (account) => ({
      fetch: (found) =>
        found.providerId === stuckId
          ? Promise.reject(new ProviderFault(kind, 'ErrorMimeContentInvalid', 'not this one'))
          : account.fetch(found),
    }));
  // A possible fault of the provider stops the mailbox three times, and then no longer.
  for (let attempt = 0; attempt < 3; attempt++)
    await expect(sync(refusing('unavailable'))).rejects.toThrow('not this one');
  await sync(refusing('unavailable'));
  await house.drain();
  const taken = async () => (await ticketsOf(owner)).map(({ subject }) => subject).sort();
  expect(await taken()).toEqual(['Held up', 'One', 'Three']);
  house.clock.advance(61_000);
  await sync(refusing('refused'));
  house.clock.advance(61_000);
  await sync();
  await house.drain();
  expect(await taken()).toEqual(['Held up', 'One', 'Three']);
  house.clock.advance(61_000);
  await sync();
  await house.drain();
  expect(await taken()).toEqual(['Held up', 'One', 'Three', 'Two']);
  expect(await house.app.db.rows(sql`select from mailbox_stuck_mails`)).toEqual([]);
});

test('a mailbox is read every three minutes without notifications', async () => {
  await sync();
  await deliver({ subject: 'Nobody told' });
  const subjects = async () => (await ticketsOf(owner)).map(({ subject }) => subject);
  house.clock.advance(170_000);
  await house.drain();
  expect(await subjects()).not.toContain('Nobody told');
  house.clock.advance(11_000);
  await house.drain();
  expect(await subjects()).toContain('Nobody told');
  expect(await dueInMs()).toBeGreaterThan(170_000);
});

test('a mailbox that one worker has just read is not read again by another', async () => {
  await sync();
  await syncDueMailbox(
    failing(() => {
      throw new Error('it was read again');
    }),
    named(),
  );
});

test('mail that was lost on our disk is fetched again', async () => {
  const { workspaceId } = owner;
  await deliver({ subject: 'Lost here' });
  await sync();
  const { blobs } = house.app;
  const get = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ENOENT' }));
  await ingestNow({ ...house.app, blobs: { ...blobs, packed: { ...blobs.packed, get } } }, workspaceId);
  await sync();
  await house.drain();
  expect((await ticketsOf(owner)).map(({ subject }) => subject)).toContain('Lost here');
});

test.each([
  ['failedPrecondition', 400],
  ['domainPolicy', 403],
])('a single %s does not stop a mailbox', async (reason, status) => {
  await deliver({ subject: `Behind ${reason}` });
  gmail.setFault({ on: 'history.list', address, status, reason });
  await expect(sync()).rejects.toThrow(reason);
  expect(await row()).toMatchObject({ status: 'active', reason: null });
  await sync();
  await house.drain();
  expect((await ticketsOf(owner)).map(({ subject }) => subject)).toContain(`Behind ${reason}`);
});

test('good tokens that are refused for an hour put a mailbox into error, which a notification can end', async () => {
  gmail.setFault({ on: 'history.list', address, status: 401, reason: 'authError', times: 1_000 });
  for (let minutes = 0; minutes < 60; minutes += 20) {
    await expect(sync()).rejects.toThrow('authError');
    expect(await row()).toMatchObject({ status: 'active', reason: null });
    house.clock.advance(20 * 60_000);
  }
  await sync();
  expect(await row()).toMatchObject({ status: 'error', reason: expect.stringContaining('authError') });
  const waits: number[] = [];
  for (let retries = 0; retries < 5; retries++) {
    const dueIn = await dueInMs();
    waits.push(Math.round(dueIn / 60_000));
    house.clock.advance(dueIn);
    await sync();
  }
  expect(waits).toEqual([1, 2, 5, 15, 60]);
  gmail.clearFaults();
  await signInAgain();
  await deliver({ subject: 'Told of in error' });
  await sync();
  await house.drain();
  expect(await row()).toMatchObject({ status: 'active', reason: null });
  expect((await ticketsOf(owner)).map(({ subject }) => subject)).toContain('Told of in error');
});

test('a successful read in between restarts the hour of refusals', async () => {
  for (const _ of [1, 2]) {
    gmail.setFault({ on: 'history.list', address, status: 403, reason: 'domainPolicy' });
    await expect(sync()).rejects.toThrow('domainPolicy');
    await sync();
    house.clock.advance(3_600_000);
  }
  await signInAgain();
  expect(await row()).toMatchObject({ status: 'active' });
});

test('a mailbox whose access ended says so, and is not read until it is reconnected', async () => {
  gmail.revoke(address);
  await sync();
  expect(await row()).toMatchObject({ status: 'reauthorization_required', lease_holder: null });
  await sync(
    failing(() => {
      throw new Error('it was asked again');
    }),
  );
});

test('a round that breaks after it stored mail does not slow down the next ones', async () => {
  const { workspaceId } = await makeOwner(house);
  const cut = 'cut@office.example';
  const { refreshToken } = gmail.addMailbox({ address: cut });
  const { id: mailboxId } = await putMailbox(house, { workspaceId, provider: 'mail-b', address: cut, refreshToken });
  const read = (app: App = house.app) => syncMailbox(app, { workspaceId, mailboxId });
  const progress = () =>
    house.app.db.one<{ failures: number; dueInMs: number }>(sql`
      select failures, (extract(epoch from due_at - ${now()}::timestamptz) * 1000)::double precision as "dueInMs"
      from mailbox_syncs where workspace_id = ${workspaceId} and mailbox_id = ${mailboxId}`);
  await read();
  const breaking = withAccounts(house.app, 'mail-b', (account) => ({
    async *changes(cursor) {
      for await (const { found } of account.changes(cursor)) yield { found, cursor: null };
      throw new ProviderFault('unavailable', 'unreachable', 'The connection broke.');
    },
  }));
  for (let round = 0; round < 6; round++) {
    gmail.deliver(cut, { subject: `Cut ${round}` }, { receivedAt: now() });
    await read(breaking).catch(() => undefined);
    const { failures, dueInMs: pauseMs } = await progress();
    expect(failures).toBe(1);
    expect(pauseMs).toBeLessThanOrEqual(1_000);
  }
  // Without any progress, the pauses grow.
  for (const failures of [2, 3, 4]) {
    await read(breaking).catch(() => undefined);
    expect(await progress()).toMatchObject({ failures });
  }
  await read();
  expect(await progress()).toMatchObject({ failures: 0 });
});
