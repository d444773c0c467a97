import { openApp } from '../app.ts';
import { listen } from '../http/listen.ts';
import { StartError } from '../lib/start-error.ts';
import { openLog } from '../platform/log.ts';
import { drainSecondsMax, within } from '../platform/stop.ts';
import { joinMainProcess } from '../processes/joined-process.ts';
import { buildServer } from '../server.ts';
import type { Config } from '../settings/config.ts';
import { openTelemetry } from '../telemetry/open-telemetry.ts';

/** Runs one of several processes at the port until the main process stops it. Returns the exit code. */
export async function serveRequestsCommand(config: Config): Promise<number> {
  const { number, databaseUrl, poolSize, processes, stopped, tell } = await joinMainProcess();
  const log = openLog(config.logLevel).child({ process: number });
  try {
    await using stack = new AsyncDisposableStack();
    const telemetry = await openTelemetry(config.telemetry, log);
    stack.defer(async () => telemetry?.close());
    const app = openApp({ config, log, databaseUrl, poolSize, telemetry });
    stack.defer(() => within(drainSecondsMax, log, 'closing the connections', app.close()));
    const server = await buildServer(app, { several: { number, processes } });
    stack.defer(() => within(drainSecondsMax, log, 'waiting for requests to end', server.close()));
    await tell({ kind: 'listening', address: await listen(server, config) });
    await stopped;
    return 0;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    // Only the main process logs the refusal, or every process would.
    await tell({ kind: 'refused', message: error.message });
    return 1;
  }
}
