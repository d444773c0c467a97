import pg from 'pg';
import type { Logger } from '../platform/log.ts';
import { checkCluster } from './check-cluster.ts';
import { distribute } from './distribute.ts';
import { isDistributionCut } from './kept-keys.ts';
import { migrate, takeMigrationLock } from './migrate.ts';

/** Checks the cluster, migrates, and distributes the tables. */
export async function distributeDatabase(url: string, log: Logger): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'kontor distribute' });
  await client.connect();
  try {
    await checkCluster(client);
    // Migrations of a half distributed database could meet tables that are not in their place yet.
    if (!(await isDistributionCut(client))) await migrate(url, log);
    await takeMigrationLock(client);
    const done = await distribute(client, (table) => log.info({ table }, 'the table is in its place'));
    log.info(done, done.tables === 0 ? 'all tables were in their places' : 'all tables are in their places now');
  } finally {
    await client.end();
  }
}
