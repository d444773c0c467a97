import { afterEach, beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { sql } from '../database/sql.ts';
import { newId, type WorkspaceId } from '../lib/ids.ts';
import { type DueKind, type DueRow, drainDueWork, startDueWork } from './due-work.ts';

const house = useHouse();
const ids = (count: number) => Array.from({ length: count }, () => newId<WorkspaceId>());
let stop: () => Promise<void> = async () => {};

beforeAll(async () => {
  await house.app.db.pool.query('create table parcels (workspace_id uuid, id uuid, due_at timestamptz)');
});
afterEach(async () => {
  await stop();
  await house.app.db.pool.query('delete from parcels');
});

async function post(workspaceId: WorkspaceId, count = 1): Promise<string[]> {
  const made = ids(count);
  await house.app.db.tx(async (tx) => {
    tx.touch(workspaceId);
    await tx.run(sql`
      insert into parcels select ${workspaceId}, id, ${tx.now} from unnest(${made}::uuid[]) id`);
  });
  return made;
}

const take = ({ id }: DueRow) => house.app.db.tx((tx) => tx.run(sql`delete from parcels where id = ${id}`));

function parcels(work: DueKind['work'], places = 8): DueKind {
  return {
    name: 'parcels',
    places,
    work,
    list: (db, { now, within, except, rowsMax }) =>
      db.rows(sql`
        select workspace_id as "workspaceId", id from parcels
        where due_at <= ${now} ${within(sql`workspace_id`)} ${except(sql`id`)}
        order by due_at, id limit ${rowsMax}`),
  };
}

function start(kind: DueKind): void {
  ({ stop } = startDueWork(house.app, kind));
}

/** Work that lasts until the test ends it. */
function lastingWork() {
  const running: { workspaceId: WorkspaceId; end: () => void }[] = [];
  let isOver = false;
  const work = async (row: DueRow): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    running.push({ workspaceId: row.workspaceId, end: resolve });
    if (!isOver) await promise;
    await take(row);
  };
  return {
    work,
    runningOf: (workspaceId: WorkspaceId) => running.filter((one) => one.workspaceId === workspaceId).length,
    endOneOf: (workspaceId: WorkspaceId) =>
      running
        .splice(
          running.findIndex((one) => one.workspaceId === workspaceId),
          1,
        )[0]
        ?.end(),
    endAll: () => {
      isOver = true;
      for (const { end } of running) end();
    },
  };
}

test('a row is worked on once it is due, and again while it stays due', async () => {
  const seen: string[] = [];
  start(
    parcels(async (row) => {
      seen.push(row.id);
      if (seen.length === 3) await take(row);
    }),
  );
  const [id = ''] = await post(newId());
  await expect.poll(() => seen).toEqual([id, id, id]);
});

test('a workspace gets at most half of the places, and another gets a place when a row ends', async () => {
  const [noisy, second, third, fourth, fifth] = ids(5) as [
    WorkspaceId,
    WorkspaceId,
    WorkspaceId,
    WorkspaceId,
    WorkspaceId,
  ];
  const lasting = lastingWork();
  start(parcels(lasting.work));
  await post(noisy, 50);
  await expect.poll(() => lasting.runningOf(noisy)).toBe(4);
  await post(second, 50);
  await expect.poll(() => lasting.runningOf(second)).toBe(2);
  await post(third, 50);
  await expect.poll(() => lasting.runningOf(third)).toBe(1);
  await post(fourth, 50);
  await expect.poll(() => lasting.runningOf(fourth)).toBe(1);
  expect([noisy, second, third].map(lasting.runningOf)).toEqual([4, 2, 1]);
  await post(fifth);
  lasting.endOneOf(noisy);
  await expect.poll(() => lasting.runningOf(fifth)).toBe(1);
  expect([noisy, second, third, fourth].map(lasting.runningOf)).toEqual([3, 2, 1, 1]);
  const stopped = stop();
  lasting.endAll();
  await stopped;
});

test('more due rows of a workspace than are listed at once do not hide those of another', async () => {
  const [noisy, quiet] = ids(2) as [WorkspaceId, WorkspaceId];
  const lasting = lastingWork();
  await post(noisy, 600);
  await post(quiet);
  start(parcels(lasting.work));
  await expect.poll(() => lasting.runningOf(quiet)).toBe(1);
  expect(lasting.runningOf(noisy)).toBe(4);
  const stopped = stop();
  lasting.endAll();
  await stopped;
});

test('a row whose work fails does not hold up others, and stays due', async () => {
  const workspaceId = newId<WorkspaceId>();
  const [bad = ''] = await post(workspaceId);
  let failed = 0;
  const taken: string[] = [];
  start(
    parcels(async (row) => {
      if (row.id === bad) {
        failed++;
        throw new Error('It fails.');
      }
      await take(row);
      taken.push(row.id);
    }, 1),
  );
  await expect.poll(() => failed).toBe(1);
  const good = await post(workspaceId, 3);
  await expect.poll(() => taken.toSorted()).toEqual(good.toSorted());
  expect(failed).toBe(1);
  await stop();
  expect(
    await drainDueWork(
      house.app,
      parcels(async () => {}),
    ),
  ).toBe(1);
});

test('a stopping process ends its work and begins none', async () => {
  const workspaceId = newId<WorkspaceId>();
  const lasting = lastingWork();
  start(parcels(lasting.work, 2));
  await post(workspaceId, 5);
  await expect.poll(() => lasting.runningOf(workspaceId)).toBe(1);
  const stopped = stop();
  lasting.endAll();
  await stopped;
  const { count } = await house.app.db.one<{ count: number }>(sql`select count(*) from parcels`);
  expect(count).toBe(4);
});
