import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { lanes } from '../../src/worker.ts';
import { cloneDatabase } from '../harness/harness.ts';
import { runService, temporaryFolder } from '../harness/service-process.ts';

/** The same database under another name, like the addresses of a pooler and of the server behind it. */
function named(url: string, name: string): string {
  const address = new URL(url);
  address.searchParams.set('application_name', name);
  return address.href;
}

test('behind a pooler the service listens on the direct address, and requests go through the pooler', async () => {
  const database = await cloneDatabase();
  const folder = await temporaryFolder();
  const service = runService({
    DATA_DIR: folder.path,
    DATABASE_URL: named(database.url, 'pooled'),
    DATABASE_DIRECT_URL: named(database.url, 'direct'),
    AUTH_SECRET: 'x'.repeat(32),
    ENCRYPTION_KEY: 'x'.repeat(32),
  });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const [, url] = await service.seen(/Kontor listens at (http:\/\/[\d.:]+)/);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const listeners = () =>
      client.query(
        `select application_name as by, query from pg_stat_activity
        where (query ilike 'listen %' or (query = 'select 1' and application_name = 'direct'))
          and datname = current_database()
        order by query`,
      );
    // The listeners of the job queue's lanes, and the listener for messages between processes, which checks its own
    // connection.
    const ofLanes = Array.from({ length: lanes.length + 1 }, () => 'LISTEN "jobs:insert"');
    const all = [...ofLanes, 'select 1'].map((start) => ({
      by: 'direct',
      query: expect.stringContaining(start),
    }));
    await vi.waitFor(async () => expect((await listeners()).rows).toEqual(all), 30_000);
    const { rows } = await client.query(
      `select distinct application_name as by from pg_stat_activity where application_name = 'pooled'`,
    );
    expect(rows).toHaveLength(1);
    service.process.kill('SIGTERM');
    expect(await service.exited).toEqual({ code: 0, signal: null });
  } finally {
    service.process.kill('SIGKILL');
    await client.end();
    await database.drop();
    await folder.remove();
  }
});
