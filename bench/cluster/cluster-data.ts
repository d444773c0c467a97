import pg from 'pg';
import { distribute } from '../../src/ground/database/distribute.ts';
import { migrate } from '../../src/ground/database/migrate.ts';
import { openLog } from '../../src/ground/platform/log.ts';
import type { Data } from '../data.ts';
import { fill } from '../fill.ts';
import { type Size, worldOf } from '../world.ts';

/**
 * Fills an empty database of a Citus cluster with the world's data, and distributes it as an operator does. A database
 * that is filled already is taken as it is: writes of earlier runs are in it.
 */
export async function fillCluster(url: string, size: Size, tell: (done: string) => void): Promise<Data> {
  const world = worldOf(size);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await migrate(url, openLog('warn'));
    const { rows } = await client.query<{ count: string }>('select count(*) from tickets');
    const ticketCount = Number(rows[0]?.count);
    if (ticketCount >= world.ticketCount) return { url, fillSeconds: null };
    if (ticketCount > 0) throw new Error(`--cluster: the database holds ${ticketCount} other tickets`);
    const startedAt = performance.now();
    await fill(url, world, tell);
    await distribute(client, tell);
    // The statistics of before are those of the coordinator's emptied tables.
    await client.query('vacuum analyze');
    return { url, fillSeconds: (performance.now() - startedAt) / 1_000 };
  } finally {
    await client.end();
  }
}
