import { expect, it, onTestFinished, vi } from 'vitest';
import { makeOwner, type Person } from '../../test/factories.ts';
import { useHouse } from '../../test/harness.ts';
import { mailOf, sourceOf, ticketsOf } from '../../test/mails.ts';
import type { App } from '../app.ts';
import { sql } from '../database/sql.ts';
import { ingestJobs } from './jobs.ts';
import { storeRawMails } from './raw-mails.ts';

const house = useHouse();

/** The job, with this function to read stored mails. */
function ingestReading(get: App['blobs']['packed']['get']): ReturnType<typeof ingestJobs> {
  const { blobs } = house.app;
  return ingestJobs({ ...house.app, blobs: { ...blobs, packed: { ...blobs.packed, get } } });
}

const jobsOf = ({ workspaceId }: Person) =>
  sql`select from graphile_worker.jobs where key = ${`mail.ingest:${workspaceId}`}`;

it('a mail that comes during an ingestion is taken in the same run, and none is read twice', async () => {
  const owner = await makeOwner(house);
  const { workspaceId } = owner;
  const { packed } = house.app.blobs;
  let stored = 0;
  const store = () => {
    const mail = mailOf({ headers: { Subject: `Order ${++stored} is missing` } });
    return storeRawMails(house.app, sourceOf(house, owner), [mail]);
  };
  const read: string[] = [];
  const ingest = ingestReading(async (workspace, sha256) => {
    read.push(sha256);
    if (read.length === 1) {
      await store();
      // Another job, for the mail that has just arrived. It ends at once.
      await ingest({ workspaceId }, { attempt: 1, attemptsMax: 25 });
    }
    return packed.get(workspace, sha256);
  });
  await store();
  await ingest({ workspaceId }, { attempt: 1, attemptsMax: 25 });
  expect(await ticketsOf(owner)).toHaveLength(2);
  expect(new Set(read).size).toBe(2);
  expect(read).toHaveLength(2);
});

it('a failed run does not block later ones', async () => {
  const owner = await makeOwner(house);
  await storeRawMails(house.app, sourceOf(house, owner), [mailOf()]);
  let isAway = true;
  const { packed } = house.app.blobs;
  const ingest = ingestReading((workspace, sha256) =>
    isAway ? Promise.reject(new Error('the bucket is away')) : packed.get(workspace, sha256),
  );
  const job = { workspaceId: owner.workspaceId };
  await expect(ingest(job, { attempt: 1, attemptsMax: 25 })).rejects.toThrow('the bucket is away');
  isAway = false;
  await ingest(job, { attempt: 2, attemptsMax: 25 });
  expect(await ticketsOf(owner)).toHaveLength(1);
});

it('a failing run queues a job for the mail that came meanwhile', async () => {
  const owner = await makeOwner(house);
  const job = { workspaceId: owner.workspaceId };
  await storeRawMails(house.app, sourceOf(house, owner), [mailOf()]);
  const { db } = house.app;
  const ingest = ingestReading(async () => {
    // For a mail that has just arrived. It ends at once.
    await ingest(job, { attempt: 1, attemptsMax: 25 });
    throw new Error('the bucket is away');
  });
  expect(await db.rows(jobsOf(owner))).toHaveLength(0);
  await expect(ingest(job, { attempt: 1, attemptsMax: 25 })).rejects.toThrow('the bucket is away');
  expect(await db.rows(jobsOf(owner))).toHaveLength(1);
});

it('a job that starts as soon as a run queues it finds the mail that the run left', async () => {
  const owner = await makeOwner(house);
  const job = { workspaceId: owner.workspaceId };
  const { app } = house;
  const store = (subject: string) =>
    storeRawMails(app, sourceOf(house, owner), [mailOf({ headers: { Subject: subject } })]);
  const late = performance.now() + 60_000;
  const now = vi.spyOn(performance, 'now');
  onTestFinished(() => now.mockRestore());
  const get: App['blobs']['packed']['get'] = (workspace, sha256) => {
    // The run has no time left.
    if (next === undefined) now.mockReturnValue(late);
    return app.blobs.packed.get(workspace, sha256);
  };
  let next: Promise<void> | undefined;
  const tx: App['db']['tx'] = async (work) => {
    const result = await app.db.tx(work);
    if (next !== undefined || (await app.db.rows(jobsOf(owner))).length === 0) return result;
    now.mockRestore();
    await store('Second');
    next = ingest(job, { attempt: 1, attemptsMax: 25 });
    return result;
  };
  const blobs = { ...app.blobs, packed: { ...app.blobs.packed, get } };
  const ingest = ingestJobs({ ...app, blobs, db: { ...app.db, tx } });
  await store('First');
  await ingest(job, { attempt: 1, attemptsMax: 25 });
  await next;
  expect(await ticketsOf(owner)).toHaveLength(2);
});
