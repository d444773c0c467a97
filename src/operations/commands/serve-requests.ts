import { openApp } from '../../app.ts';
import { listen } from '../../ground/http/listen.ts';
import { StartError } from '../../ground/lib/start-error.ts';
import { openLog } from '../../ground/platform/log.ts';
import { drainSecondsMax, within } from '../../ground/platform/stop.ts';
import { joinMainProcess } from '../../ground/processes/joined-process.ts';
import type { Config } from '../../ground/settings/config.ts';
import { openTelemetry } from '../../ground/telemetry/open-telemetry.ts';
import { buildServer } from '../../server.ts';

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
