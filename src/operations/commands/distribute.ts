import { distributeDatabase } from '../../ground/database/distribute-database.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import { refuseParameters } from '../../ground/platform/command-line.ts';
import { openLog } from '../../ground/platform/log.ts';
import { readConfig } from '../../ground/settings/config.ts';

/**
 * Spreads the tables over the nodes of a Citus cluster. The service must be stopped. A run that was cut, or that
 * reported a fault, is repeated until it ends.
 */
export async function distributeCommand(
  environment: Record<string, string | undefined>,
  parameters: string[],
): Promise<number> {
  refuseParameters('distribute', parameters);
  const { database, logLevel } = readConfig(environment);
  if (database.kind === 'embedded')
    throw new StartError('DATABASE_URL must name the coordinator of a Citus cluster: docs/scale.md.');
  await distributeDatabase(database.directUrl, openLog(logLevel));
  return 0;
}
