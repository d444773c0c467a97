import { randomUUID } from 'node:crypto';
import cors from '@fastify/cors';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyRequest, LogController } from 'fastify';
import { bearerIn } from './access/auth/bearer.ts';
import { installGate } from './access/auth/gate.ts';
import { type KnownKeys, openKnownKeys } from './access/auth/known-keys.ts';
import { authRoutes } from './access/auth/routes.ts';
import { teamRoutes } from './access/teams/routes.ts';
import { workspaceRoutes } from './access/workspaces/routes.ts';
import type { App } from './app.ts';
import { autoReplyRoutes } from './automation/auto-replies/routes.ts';
import { calendarRoutes } from './automation/calendars/routes.ts';
import { ruleRoutes } from './automation/rules/routes.ts';
import { surveyRoutes } from './automation/surveys/routes.ts';
import { auditRoutes } from './events/activity/audit-routes.ts';
import { integrationRoutes } from './events/integrations/routes.ts';
import { notificationRoutes } from './events/notifications/routes.ts';
import { installAnswerLimits } from './ground/http/answer-limits.ts';
import { type BodyLimits, bodyLimitsDefault } from './ground/http/body-limits.ts';
import { installBorder } from './ground/http/border.ts';
import { installCompression } from './ground/http/compress-answers.ts';
import { type Connections, openConnections } from './ground/http/connections.ts';
import { answerBrokenRequest, answerUnroutable, installFaults, installProtocolFaults } from './ground/http/faults.ts';
import type { Server } from './ground/http/http.ts';
import { cleanLongHtml } from './ground/http/long-html.ts';
import { installOwnHost } from './ground/http/own-host.ts';
import { installRateLimit } from './ground/http/rate-limit.ts';
import { installRouteSchema } from './ground/http/route-schema.ts';
import { constantHeaders } from './ground/http/security-headers.ts';
import { installSerializers } from './ground/http/serializers.ts';
import { AppError } from './ground/lib/errors.ts';
import { caller, correlation } from './ground/platform/correlation.ts';
import type { Logger } from './ground/platform/log.ts';
import { contactRoutes } from './helpdesk/contacts/routes.ts';
import { departureRoutes } from './helpdesk/departures/routes.ts';
import { erasureRoutes } from './helpdesk/erasures/routes.ts';
import { fileRoutes } from './helpdesk/files/routes.ts';
import { mergeRoutes } from './helpdesk/merges/routes.ts';
import { contactTicketRoutes } from './helpdesk/people/routes.ts';
import { ratingRoutes } from './helpdesk/ratings/routes.ts';
import { replyRoutes } from './helpdesk/replies/routes.ts';
import { spamRoutes } from './helpdesk/spam/routes.ts';
import { ticketRoutes } from './helpdesk/tickets/routes.ts';
import { redactRoutes } from './helpdesk/trash/redact-routes.ts';
import { trashRoutes } from './helpdesk/trash/routes.ts';
import { bulkRoutes } from './inbox/bulk/routes.ts';
import { inboxRoutes } from './inbox/lists/routes.ts';
import { onboardingRoutes } from './inbox/onboarding/routes.ts';
import { presenceRoutes } from './inbox/presence/routes.ts';
import { startRoutes } from './inbox/start/routes.ts';
import { streamRoutes } from './inbox/stream/routes.ts';
import { tagRoutes } from './inbox/tags/routes.ts';
import { viewRoutes } from './inbox/views/routes.ts';
import { reportRoutes } from './insight/reports/routes.ts';
import { mailboxRoutes } from './mail/mailboxes/routes.ts';
import { installDocsPage } from './operations/ops/docs-page.ts';
import { installOpenApi } from './operations/ops/openapi.ts';
import { operationsRoutes, type Surroundings } from './operations/ops/routes.ts';
import { installWebApp, isWebPath } from './operations/ops/web-app.ts';
import { deliveryRoutes } from './transport/deliveries/routes.ts';
import { mailRoutes } from './transport/mailflow/routes.ts';
import { webhookRoutes } from './transport/webhooks/routes.ts';

const bodyBytesMax = 2 * 1024 * 1024;
const headerBytesMax = 64 * 1024;

/** The routes of all rooms but `ops`, which needs to know more. */
const routesOfRooms = [
  authRoutes,
  workspaceRoutes,
  teamRoutes,
  notificationRoutes,
  auditRoutes,
  streamRoutes,
  fileRoutes,
  contactRoutes,
  mailboxRoutes,
  ticketRoutes,
  trashRoutes,
  redactRoutes,
  spamRoutes,
  contactTicketRoutes,
  erasureRoutes,
  mergeRoutes,
  inboxRoutes,
  bulkRoutes,
  tagRoutes,
  deliveryRoutes,
  departureRoutes,
  presenceRoutes,
  replyRoutes,
  viewRoutes,
  ruleRoutes,
  autoReplyRoutes,
  surveyRoutes,
  ratingRoutes,
  mailRoutes,
  onboardingRoutes,
  startRoutes,
  calendarRoutes,
  integrationRoutes,
  webhookRoutes,
  reportRoutes,
];

/**
 * Builds the HTTP server with all routes. It does not listen yet.
 * @param surroundings what else `/readyz` reports on (queue, sibling processes)
 * @param bodyLimits the documented limits by default
 */
export async function buildServer(
  app: App,
  surroundings: Surroundings = {},
  bodyLimits = bodyLimitsDefault,
): Promise<Server> {
  const { config, log } = app;
  const connections = openConnections(bodyLimits);
  const server = openFastify(app, connections, bodyLimits);
  server.decorate('db', app.db);
  connections.watch(server.server);
  // A client that closes its end after the request still gets its answer.
  (server.server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  // Before the log, so that its lines have the id of the trace.
  app.telemetry?.watchRequests(server);
  installRequestLog(server, log);
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(constantHeaders);
    if (request.routeOptions.config.takesFile) connections.expectFile(request.raw);
    done();
  });
  const onUnknownAddress = installFaults(server);
  installProtocolFaults(server);
  installOwnHost(server, config.publicUrl);
  // The web inbox, the documentation page and CORS preflights are not part of the API.
  installRouteSchema(server, (url) => isWebPath(url) || url.startsWith('/docs/') || url === '*');
  installBorder(server);
  installSerializers(server);
  installAnswerLimits(server);
  installCompression(server);
  if (config.corsOrigins.length > 0) await server.register(cors, corsOptions(config.corsOrigins));
  const knownKeys = openKnownKeys();
  if (config.rateLimitPerMinute > 0) {
    await installRateLimit(server, config.rateLimitPerMinute, (request) => callerOf(app, knownKeys, request));
  }
  installGate(server, { ...app, knownKeys });
  cleanLongHtml(server);
  await installOpenApi(server, config.publicUrl);
  installDocsPage(server);
  await installWebApp(server, onUnknownAddress);

  for (const install of routesOfRooms) install(server, app);
  operationsRoutes(server, app, surroundings);
  return server;
}

function openFastify({ config, log }: App, connections: Connections, bodyLimits: BodyLimits): Server {
  return Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // All requests share one logger: the correlation id comes from the async context, so no child logger is needed.
    childLoggerFactory: (logger) => logger,
    bodyLimit: bodyBytesMax,
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    genReqId: (request) => correlationIdOf(request.headers['x-correlation-id']),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, connections),
    frameworkErrors: answerUnroutable,
    http: {
      maxHeaderSize: headerBytesMax,
      requireHostHeader: false,
      headersTimeout: bodyLimits.headersMsMax,
      connectionsCheckingInterval: bodyLimits.lookMs,
    },
    // The border reports an overlong id like any other bad id, after the gate.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: headerBytesMax },
    forceCloseConnections: 'idle',
    // Requests that arrive while the service stops are still answered.
    return503OnClosing: false,
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as Server;
}

function installRequestLog(server: Server, log: Logger): void {
  // This line contains no secrets. Searching it for secrets took longer than writing the line.
  const requestLog = log.child({}, { redact: [] });
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-correlation-id', request.id);
    correlation.run(request.id, () => caller.run(request, done));
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, actor } = request;
    requestLog[routeOptions.config.probe ? 'debug' : 'info'](
      {
        method,
        route: routeOptions.url ?? null,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        workspaceId: actor?.workspaceId,
        userId: actor?.userId,
        keyId: actor?.keyId ?? undefined,
      },
      'request answered',
    );
    done();
  });
}

function correlationIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(header) ? header : randomUUID();
}

function corsOptions(origins: string[]) {
  return {
    origin: origins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'x-kontor-version',
      'accept-ranges',
      'allow',
      'content-disposition',
      'content-range',
      'etag',
      'link',
      'x-total-count',
      'x-total-count-relation',
      'x-correlation-id',
      'idempotent-replayed',
      'ratelimit',
      'ratelimit-policy',
      'retry-after',
    ],
    maxAge: 600,
    // Accepts OPTIONS requests that are not preflights.
    strictPreflight: false,
  };
}

/**
 * Names the session of a valid token, or the API key, so that colleagues behind one address do not share a limit.
 * Undefined means that the address counts.
 */
function callerOf({ tokens, cookies }: App, knownKeys: KnownKeys, request: FastifyRequest): string | undefined {
  if (request.routeOptions.config.public) return undefined;
  if (request.headers.authorization === undefined) {
    const named = cookies.read(request);
    return named instanceof AppError ? undefined : named?.sessionId;
  }
  const token = bearerIn(request.headers.authorization);
  if (token === undefined) return undefined;
  const keyId = knownKeys.idOf(token);
  if (keyId !== undefined) return keyId;
  const principal = tokens.read(token);
  return principal instanceof AppError ? undefined : principal.sessionId;
}
