import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { forEveryone } from '../../ground/http/operation.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { Processes } from '../../ground/processes/process-messages.ts';
import type { Queue } from '../../ground/queue/queue.ts';
import { failedChecks, failedChecksOfAll, shareFailedChecks } from './health.ts';
import { exportMetrics, measureRequests, metricsOfAll, openMetrics, shareMetrics } from './metrics.ts';
import { metricsReaders } from './metrics-readers.ts';

const everyone = forEveryone('operations');

/** The parts of the service outside its app. */
export type Surroundings = {
  /** The job runner of this process, if any. */
  queue?: Queue | undefined;
  /** If several processes share the port: all of them, and the number of this process. */
  several?: { number: number; processes: Processes };
};

/** Routes for operators: liveness, readiness, metrics and the OpenAPI document. */
export function operationsRoutes(server: Server, app: App, { queue, several }: Surroundings): void {
  const metrics = openMetrics(app, several?.number);
  measureRequests(server, metrics);
  exportMetrics(app, metrics);
  const failedHere = () => failedChecks(app, queue);
  if (several !== undefined) {
    shareMetrics(several.processes, metrics);
    shareFailedChecks(several.processes, failedHere);
  }

  everyone.get(server, '/livez', {
    id: 'getLiveness',
    summary: 'Whether the process answers',
    probe: true,
    answers: { 200: Type.Object({ status: Type.Literal('alive') }) },
    handler: async () => ({ status: 'alive' as const }),
  });

  everyone.get(server, '/readyz', {
    id: 'getReadiness',
    summary: 'Whether the process can do its work',
    description:
      'Otherwise 503, with `params.failed`: `database` (does not answer), `disk` (full or read-only), ' +
      '`migrations` (some of this release are missing), `queue` (its tables are missing), ' +
      '`jobs` (this process no longer runs them), `processes` (with `WEB_CONCURRENCY`, one does not answer).',
    probe: true,
    answers: { 200: Type.Object({ status: Type.Literal('ready') }) },
    handler: async () => {
      const failed = await (several === undefined ? failedHere() : failedChecksOfAll(several.processes));
      if (failed.length > 0) throw new AppError('unavailable', { failed }, { headers: { 'retry-after': '2' } });
      return { status: 'ready' as const };
    },
  });

  metricsRoute(server, app.config, { metrics, several });

  everyone.get(server, '/v1/openapi.json', {
    id: 'getOpenApiDocument',
    summary: 'This document',
    answers: { 200: Type.Object({}, { additionalProperties: true, description: 'OpenAPI 3.1' }) },
    handler: async () => server.swagger(),
  });
}

function metricsRoute(
  server: Server,
  config: App['config'],
  { metrics, several }: { metrics: ReturnType<typeof openMetrics>; several: Surroundings['several'] },
): void {
  const mayReadMetrics = metricsReaders(config);
  everyone.get(server, '/metrics', {
    id: 'getMetrics',
    summary: 'Metrics for Prometheus',
    description: 'For callers on the same machine, and for callers with `METRICS_TOKEN` as bearer token.',
    errors: ['metrics.forbidden'],
    probe: true,
    answers: { 200: { content: { 'text/plain': { schema: Type.String() } } } },
    handler: async (request, reply) => {
      if (!mayReadMetrics(request)) throw new AppError('metrics.forbidden');
      return reply
        .type(metrics.contentType)
        .send(await (several === undefined ? metrics.metrics() : metricsOfAll(several.processes)));
    },
  });
}
