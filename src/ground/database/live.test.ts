import { expect, test, vi } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { newId, type WorkspaceId } from '../lib/ids.ts';
import { type Logger, openLog } from '../platform/log.ts';
import { openLive } from './live.ts';
import { sql } from './sql.ts';

const house = useHouse();
const log = openLog('silent');

/** A listening process. `heard` holds the hints so far. */
async function openHearing(url = house.databaseUrl) {
  const live = openLive({ url, log, publish: async () => {} });
  const heard: (readonly string[] | null)[] = [];
  live.follow((workspaceIds) => heard.push(workspaceIds));
  const until = (isEnough: () => boolean) => vi.waitFor(() => expect(isEnough()).toBe(true), 30_000);
  // The first hint is null: the process missed all hints before it listened.
  await until(() => heard.length > 0);
  return { live, heard, until };
}

test('other processes hear of a commit that touched a workspace, but not of a rollback', async () => {
  const { live, heard, until } = await openHearing();
  const [kept, undone, other] = [newId<WorkspaceId>(), newId<WorkspaceId>(), newId<WorkspaceId>()];
  await house.app.db.tx(async (tx) => tx.touch(kept));
  await expect(
    house.app.db.tx(async (tx) => {
      tx.touch(undone);
      await tx.run(sql`select 1 / 0`);
    }),
  ).rejects.toThrow();
  await until(() => heard.flat().includes(kept));
  await house.app.db.tx(async (tx) => tx.touch(other));
  await until(() => heard.flat().includes(other));
  expect(heard).toEqual([null, [kept], [other]]);
  await live.close();
});

test('the first failure to connect is logged as information, the next as a warning', async () => {
  const told: unknown[] = [];
  const listening = openLive({
    url: 'postgresql://nobody@127.0.0.1:1/nothing',
    log: {
      ...log,
      info: (_: object, text: string) => told.push(['info', text]),
      warn: () => told.push('warn'),
    } as unknown as Logger,
    publish: async () => {},
  });
  listening.follow(() => {});
  await vi.waitFor(() => expect(told.length).toBeGreaterThan(1), 30_000);
  await listening.close();
  expect(told.slice(0, 2)).toEqual([['info', 'no change notifications yet'], 'warn']);
});

test('many commits share few hints, and a hint for very many workspaces names none', async () => {
  const published: string[] = [];
  const live = openLive({ url: house.databaseUrl, log, publish: async (_channel, payload) => published.push(payload) });
  const ids = Array.from({ length: 1_000 }, () => newId<WorkspaceId>());
  for (const id of ids.slice(0, 3)) live.touch([id, id]);
  await vi.waitFor(() => expect(published).toEqual([ids.slice(0, 3).join()]), 30_000);
  for (const id of ids) live.touch([id]);
  await vi.waitFor(() => expect(published.slice(1)).toEqual(['*']), 30_000);
  await live.close();
});

test('a process with a lost connection listens again, and knows that it may have missed hints', async () => {
  const { live, heard, until } = await openHearing();
  await house.app.db.rows(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'kontor_live'`);
  await until(() => heard.length === 2);
  const workspaceId = newId<WorkspaceId>();
  await house.app.db.tx(async (tx) => tx.touch(workspaceId));
  await until(() => heard.length === 3);
  expect(heard).toEqual([null, null, [workspaceId]]);
  await live.close();
});

test('it can be closed while the database is unavailable', async () => {
  const live = openLive({ url: 'postgres://nobody@127.0.0.1:1/none', log, publish: async () => {} });
  live.follow(() => {});
  await live.close();
});
