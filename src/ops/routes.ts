import { Type } from 'typebox';
import type { App } from '../app.ts';
import { AppError } from '../lib/errors.ts';
import type { Server } from '../platform/http.ts';
import type { Queue } from '../platform/queue.ts';
import { failedChecks } from './health.ts';
import { measureRequests, openMetrics } from './metrics.ts';

/** For whoever runs the service: whether it lives, whether it can work, how it does, and what it offers. */
export function operationsRoutes(server: Server, { db, webhookTally }: App, queue: Queue | undefined): void {
  const metrics = openMetrics(db, webhookTally);
  measureRequests(server, metrics);

  server.get(
    '/livez',
    {
      config: { public: true, probe: true },
      schema: {
        operationId: 'getLiveness',
        tags: ['operations'],
        summary: 'Whether the process answers',
        response: { 200: Type.Object({ status: Type.Literal('alive') }) },
      },
    },
    async () => ({ status: 'alive' as const }),
  );

  server.get(
    '/readyz',
    {
      config: { public: true, probe: true },
      schema: {
        operationId: 'getReadiness',
        tags: ['operations'],
        summary: 'Whether the process can do its work',
        description:
          'Otherwise 503, with `params.failed`: `database` (does not answer), `migrations` (of this release are missing), `queue` (its tables are missing), `jobs` (this process no longer works them off).',
        response: { 200: Type.Object({ status: Type.Literal('ready') }) },
      },
    },
    async () => {
      const failed = await failedChecks(db, queue);
      if (failed.length > 0) throw new AppError('unavailable', { failed }, { headers: { 'retry-after': '2' } });
      return { status: 'ready' as const };
    },
  );

  server.get(
    '/metrics',
    {
      config: { public: true, probe: true },
      schema: {
        operationId: 'getMetrics',
        tags: ['operations'],
        summary: 'Numbers for Prometheus',
        response: { 200: { content: { 'text/plain': { schema: Type.String() } } } },
      },
    },
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()),
  );

  server.get(
    '/v1/openapi.json',
    {
      config: { public: true },
      schema: {
        operationId: 'getOpenApiDocument',
        tags: ['operations'],
        summary: 'This document',
        response: { 200: Type.Object({}, { additionalProperties: true, description: 'OpenAPI 3.1' }) },
      },
    },
    async () => server.swagger(),
  );
}
