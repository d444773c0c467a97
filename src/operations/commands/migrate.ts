import { migrate } from '../../ground/database/migrate.ts';
import { openDatabaseServer } from '../../ground/embedded-postgres/database-server.ts';
import { refuseParameters } from '../../ground/platform/command-line.ts';
import { openLog } from '../../ground/platform/log.ts';
import { readConfig } from '../../ground/settings/config.ts';

/** Runs the migrations and ends. For deployments that migrate before they start the new release. */
export async function migrateCommand(
  environment: Record<string, string | undefined>,
  parameters: string[],
): Promise<number> {
  refuseParameters('migrate', parameters);
  const config = readConfig(environment);
  const log = openLog(config.logLevel);
  await using stack = new AsyncDisposableStack();
  const database = await openDatabaseServer(config, log);
  stack.defer(database.stop);
  const ran = await migrate(database.directUrl, log);
  log.info({ ran }, ran.length === 0 ? 'the database was already up to date' : 'the database is up to date now');
  return 0;
}
