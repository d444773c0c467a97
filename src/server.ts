import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify from 'fastify';
import type { App } from './app.ts';
import { installGate } from './auth/gate.ts';
import { AppError } from './lib/errors.ts';
import { newId } from './lib/ids.ts';
import { installBorder } from './platform/border.ts';
import { correlation } from './platform/correlation.ts';
import { answerBrokenRequest, installFaults } from './platform/faults.ts';
import type { Server } from './platform/http.ts';
import { installRouteSchema } from './platform/route-schema.ts';
import { ticketRoutes } from './tickets/routes.ts';

const bodyBytesMax = 2 * 1024 * 1024;
const headerBytesMax = 64 * 1024;

/** The HTTP server with every room's routes; not yet listening. */
export async function buildServer(app: App): Promise<Server> {
  const { config, log } = app;
  const server = Fastify({
    loggerInstance: log,
    disableRequestLogging: true,
    bodyLimit: bodyBytesMax,
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    genReqId: (request) => correlationIdOf(request.headers['x-correlation-id']),
    clientErrorHandler: answerBrokenRequest,
    http: { maxHeaderSize: headerBytesMax },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    forceCloseConnections: 'idle',
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as Server;

  installRequestLog(server);
  installFaults(server);
  installRouteSchema(server);
  installBorder(server);
  await server.register(helmet, {
    contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  });
  if (config.corsOrigins.length > 0) await server.register(cors, corsOptions(config.corsOrigins));
  if (config.rateLimitPerMinute > 0) await server.register(rateLimit, rateLimitOptions(config.rateLimitPerMinute));
  installGate(server, app);

  await server.register(async (rooms) => {
    for (const install of [ticketRoutes]) install(rooms as unknown as Server, app);
  });
  return server;
}

function installRequestLog(server: Server): void {
  server.decorateRequest('correlationId', '');
  server.addHook('onRequest', (request, reply, done) => {
    request.correlationId = request.id;
    reply.header('x-correlation-id', request.id);
    correlation.run(request.id, done);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, actor } = request;
    request.log.info(
      {
        method,
        route: routeOptions.url ?? null,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        workspaceId: actor?.workspaceId,
        userId: actor?.userId,
      },
      'request answered',
    );
    done();
  });
}

function correlationIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(header) ? header : newId();
}

function corsOptions(origins: string[]) {
  return {
    origin: origins,
    exposedHeaders: [
      'etag',
      'link',
      'x-total-count',
      'x-total-count-relation',
      'x-correlation-id',
      'idempotent-replayed',
      'retry-after',
    ],
    maxAge: 600,
  };
}

function rateLimitOptions(max: number) {
  return {
    max,
    timeWindow: 60_000,
    enableDraftSpec: true,
    // A caller is a token, else an address: colleagues behind one address do not share a limit.
    keyGenerator: (request: { headers: { authorization?: string | undefined }; ip: string }) =>
      request.headers.authorization ?? request.ip,
    errorResponseBuilder: (_request: unknown, context: { ttl: number }) =>
      new AppError('rate_limited', {}, { headers: { 'retry-after': String(Math.ceil(context.ttl / 1000)) } }),
  };
}
