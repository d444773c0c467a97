import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { ingestNow } from '../../../test/harness/ingest-now.ts';
import { runService } from '../../../test/harness/service-process.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { mailOf, sourceOf, ticketsOf } from '../../../test/worlds/mails.ts';
import type { App } from '../../app.ts';
import { emptySql, sql } from '../../ground/database/sql.ts';
import { takeIngestLease } from './ingest-lease.ts';
import { listPending } from './ingest-pending.ts';
import { storeRawMails } from './raw-mails.ts';

const house = useHouse();

/** The app, with this function to read stored mails. */
function reading(get: App['blobs']['packed']['get']): App {
  const { blobs } = house.app;
  return { ...house.app, blobs: { ...blobs, packed: { ...blobs.packed, get } } };
}

const store = (owner: Person, subject: string) =>
  storeRawMails(house.app, sourceOf(house, owner), [mailOf({ headers: { Subject: subject } })]);

async function pendingOf({ workspaceId }: Person): Promise<number> {
  const { count } = await house.app.db.one<{ count: number }>(sql`
    select count(*) from raw_mails where workspace_id = ${workspaceId} and state = 'pending'`);
  return count;
}

async function isDue({ workspaceId }: Person): Promise<boolean> {
  const scope = { now: house.clock.now(), within: () => emptySql, except: () => emptySql, rowsMax: 500 };
  return (await listPending(house.app.db, scope)).some(({ id }) => id === workspaceId);
}

it('a mail that comes during an ingestion is taken in the same run, and no other process reads it', async () => {
  const owner = await makeOwner(house);
  const { packed } = house.app.blobs;
  const read: string[] = [];
  const app = reading(async (workspace, sha256) => {
    read.push(sha256);
    if (read.length === 1) {
      await store(owner, 'Second');
      expect(await isDue(owner)).toBe(false);
      // Another process listed the workspace before.
      await ingestNow(app, owner.workspaceId);
    }
    return packed.get(workspace, sha256);
  });
  await store(owner, 'First');
  expect(await isDue(owner)).toBe(true);
  await ingestNow(app, owner.workspaceId);
  expect(await ticketsOf(owner)).toHaveLength(2);
  expect(read).toHaveLength(2);
  expect(await isDue(owner)).toBe(false);
});

it('a workspace is due again after a failed run', async () => {
  const owner = await makeOwner(house);
  await store(owner, 'First');
  const app = reading(() => Promise.reject(new Error('the bucket is away')));
  await expect(ingestNow(app, owner.workspaceId)).rejects.toThrow('the bucket is away');
  expect(await isDue(owner)).toBe(true);
  await ingestNow(house.app, owner.workspaceId);
  expect(await ticketsOf(owner)).toHaveLength(1);
});

it('a workspace whose process died is due when the lease is over', async () => {
  const owner = await makeOwner(house);
  await store(owner, 'First');
  const leaseUntil = (time: string) =>
    house.app.db.tx((tx) =>
      tx.run(sql`
        insert into ingest_leases (workspace_id, lease_until) values (${owner.workspaceId}, ${time}::timestamptz)
        on conflict (workspace_id) do update set lease_until = excluded.lease_until`),
    );
  await leaseUntil('infinity');
  await ingestNow(house.app, owner.workspaceId);
  expect(await isDue(owner)).toBe(false);
  await leaseUntil('2020-01-01Z');
  expect(await isDue(owner)).toBe(true);
  await ingestNow(house.app, owner.workspaceId);
  expect(await ticketsOf(owner)).toHaveLength(1);
});

it('a run without time leaves the rest to the next one, and so does a process that stops', async () => {
  const owner = await makeOwner(house);
  const now = vi.spyOn(performance, 'now');
  onTestFinished(() => now.mockRestore());
  const { packed } = house.app.blobs;
  const whenRead = (action: () => unknown) =>
    reading(async (workspace, sha256) => {
      await action();
      return packed.get(workspace, sha256);
    });
  const storeMany = async () => {
    for (let number = 0; number < 65; number++) await store(owner, `Mail ${number} of ${performance.now()}`);
  };
  await storeMany();
  const late = performance.now() + 60_000;
  await ingestNow(
    whenRead(() => now.mockReturnValue(late)),
    owner.workspaceId,
  );
  now.mockRestore();
  expect(await pendingOf(owner)).toBe(1);
  expect(await isDue(owner)).toBe(true);
  await storeMany();
  const stopping = new AbortController();
  await ingestNow(
    whenRead(() => stopping.abort()),
    owner.workspaceId,
    stopping.signal,
  );
  expect(await pendingOf(owner)).toBe(2);
  await house.drain();
  expect(await pendingOf(owner)).toBe(0);
});

describe('a mail that was being read when the process died', () => {
  const leaseEnds = ({ workspaceId }: Person) =>
    house.app.db.tx((tx) =>
      tx.run(sql`update ingest_leases set lease_until = '2020-01-01Z' where workspace_id = ${workspaceId}`),
    );
  const storeAll = (owner: Person, bodies: string[]) =>
    storeRawMails(
      house.app,
      sourceOf(house, owner),
      bodies.map((body, at) => mailOf({ headers: { Subject: `Mail ${at}` }, body })),
    );
  const subjectsOf = async (owner: Person) => (await ticketsOf(owner)).map(({ subject }) => subject).sort();

  it('is read alone, and goes to the quarantine when the process dies again', async () => {
    const owner = await makeOwner(house);
    await storeAll(owner, ['fine', 'deadly mark', 'fine as well']);
    const settings = {
      DATABASE_URL: house.databaseUrl,
      DATA_DIR: house.dataDir,
      AUTH_SECRET: 'a'.repeat(32),
      ENCRYPTION_KEY: 'e'.repeat(32),
    };
    for (const _death of [1, 2]) {
      const worker = runService(settings, ['--import', './test/worlds/deadly-mail.ts', 'src/main.ts', 'worker']);
      expect(await worker.exited, worker.output()).toMatchObject({ signal: 'SIGKILL' });
      await leaseEnds(owner);
    }
    await ingestNow(house.app, owner.workspaceId);
    expect(await subjectsOf(owner)).toEqual(['A mail that could not be read', 'Mail 0', 'Mail 2']);
    const { items } = (await owner.call('GET', '/mail/quarantine')).body;
    expect(items).toMatchObject([{ reason: 'The service ended twice while it read this mail.' }]);
    expect(await pendingOf(owner)).toBe(0);
  }, 120_000);

  it('is taken when the process does not die again', async () => {
    const owner = await makeOwner(house);
    const stored = await storeAll(owner, ['one', 'two', 'three']);
    const lease = await takeIngestLease(house.app.db, owner.workspaceId);
    await lease?.noteReading(
      stored.flatMap((raw) => raw?.id ?? []),
      { isAgain: false },
    );
    await leaseEnds(owner);
    await ingestNow(house.app, owner.workspaceId);
    expect(await subjectsOf(owner)).toEqual(['Mail 0', 'Mail 1', 'Mail 2']);
    expect(await takeIngestLease(house.app.db, owner.workspaceId)).toMatchObject({ readAlone: 0, deadlyId: undefined });
  });
});
