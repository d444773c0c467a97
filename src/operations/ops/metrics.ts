import { AggregatorRegistry, Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Db } from '../../ground/database/db.ts';
import type { Server } from '../../ground/http/http.ts';
import type { Processes } from '../../ground/processes/process-messages.ts';
import type { Config } from '../../ground/settings/config.ts';
import type { Telemetry } from '../../ground/telemetry/telemetry.ts';
import { allTraits } from '../../mail/providers/registry.ts';
import { outcomes, type Tally } from '../../transport/webhooks/tally.ts';
import { gauge } from './gauge.ts';
import { houseGauges } from './house-metrics.ts';
import { mailboxGauges } from './mailbox-metrics.ts';
import { queueGauges } from './queue-metrics.ts';

type Measured = {
  db: Db;
  config: Pick<Config, 'dataDir' | 'storage'>;
  webhookTally: Tally;
  telemetry: Telemetry | undefined;
};

/** Names a process: `main` started the other processes, which have numbers. */
type ProcessName = 'main' | number;

/**
 * This process's metrics for Prometheus: Node's own, the connection pool, the job queue, mailboxes, webhooks.
 * @param name with several processes, the label of each metric; any of them then exports the metrics of all
 */
export function openMetrics({ db, config, webhookTally, telemetry }: Measured, name?: ProcessName): Registry {
  const register = new Registry();
  if (name !== undefined) register.setDefaultLabels({ process: String(name) });
  // Event-loop delay, memory, garbage collection, handles.
  collectDefaultMetrics({ register });
  const { pool } = db;
  gauge(register, 'kontor_db_connections', 'Open database connections', async () => pool.totalCount);
  gauge(register, 'kontor_db_connections_idle', 'Open database connections that are idle', async () => pool.idleCount);
  gauge(
    register,
    'kontor_db_waiting',
    'Requests and jobs that wait for a database connection',
    async () => pool.waitingCount,
  );
  // All processes share the queue and the mailboxes, so only the main process exports these.
  if (typeof name !== 'number') {
    queueGauges(register, db);
    mailboxGauges(register, db);
    houseGauges(register, db, config);
  }
  webhookCounter(register, webhookTally);
  if (telemetry !== undefined) lossCounter(register, telemetry);
  return register;
}

const question = 'metrics';
type Numbers = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Lets the other processes read the metrics of this process. */
export function shareMetrics(processes: Processes, register: Registry): void {
  processes.answer(question, () => register.getMetricsAsJSON());
}

/** Sends the metrics to the collector that the settings name, if any. */
export function exportMetrics({ telemetry }: Pick<Measured, 'telemetry'>, register: Registry): void {
  telemetry?.exportMetrics(() => register.getMetricsAsJSON());
}

/** The metrics of all processes that answer. */
export async function metricsOfAll(processes: Processes): Promise<string> {
  const answers = (await processes.ask(question)) as (Numbers | undefined)[];
  return AggregatorRegistry.aggregate(answers.filter((numbers) => numbers !== undefined)).metrics();
}

/** Measures every request from its headers to its last byte. Labels the route, because addresses are unbounded. */
export function measureRequests(server: Server, register: Registry): void {
  const seconds = new Histogram({
    name: 'kontor_http_request_duration_seconds',
    help: 'Duration of HTTP requests',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [register],
  });
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    seconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
    done();
  });
}

function webhookCounter(register: Registry, tally: Tally): void {
  new Counter({
    name: 'kontor_webhook_items_total',
    help: 'Notifications of mail providers by outcome',
    labelNames: ['provider', 'outcome'] as const,
    registers: [register],
    collect() {
      this.reset();
      for (const { key: provider } of allTraits)
        for (const outcome of outcomes) this.inc({ provider, outcome }, tally.of(provider, outcome));
    },
  });
}

function lossCounter(register: Registry, telemetry: Telemetry): void {
  new Counter({
    name: 'kontor_telemetry_lost_total',
    help: 'Spans, and exports of metrics, that the OpenTelemetry collector did not get',
    labelNames: ['signal'] as const,
    registers: [register],
    collect() {
      this.reset();
      for (const [signal, lost] of Object.entries(telemetry.lost())) this.inc({ signal }, lost);
    },
  });
}
