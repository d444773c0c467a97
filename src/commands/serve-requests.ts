import { openApp } from '../app.ts';
import { listen } from '../http/listen.ts';
import { StartError } from '../lib/start-error.ts';
import { openLog } from '../platform/log.ts';
import { drainSecondsMax, within } from '../platform/stop.ts';
import { joinMainProcess } from '../processes/joined-process.ts';
import { buildServer } from '../server.ts';
import type { Config } from '../settings/config.ts';

/** One of several processes at the port: answers requests until the main process has it stop; returns the exit code. */
export async function serveRequestsCommand(config: Config): Promise<number> {
  const { number, databaseUrl, poolSize, processes, stopped, tell } = await joinMainProcess();
  const log = openLog(config.logLevel).child({ process: number });
  try {
    await using house = new AsyncDisposableStack();
    const app = openApp({ config, log, databaseUrl, poolSize });
    house.defer(() => within(drainSecondsMax, log, 'closing the connections', app.close()));
    const server = await buildServer(app, { several: { number, processes } });
    house.defer(() => within(drainSecondsMax, log, 'waiting for requests to end', server.close()));
    await tell({ kind: 'listening', address: await listen(server, config) });
    await stopped;
    return 0;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    // All of them would say it: the main process says it once.
    await tell({ kind: 'refused', message: error.message });
    return 1;
  }
}
