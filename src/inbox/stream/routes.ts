import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { findEnded } from './find-ended.ts';
import { eventStream, streamQuery } from './schema.ts';
import { Streams } from './streams.ts';

const workspace = inWorkspace('tickets');

const description = `The events \`ticket\`, \`message\`, \`mailbox\` and \`notification\` have an \`id\` and JSON as
data. Notifications are only the caller's own. The events \`draft\`, \`seen\`, \`presence\`, \`notification.read\`,
\`view\`, \`team\`, \`workspace\`, \`member\` and \`preferences\` have no \`id\`, because they are not stored: after a
gap, read their data again. Send the last \`id\` as \`Last-Event-ID\` to resume a stream. \`reset\` means that resuming
is impossible: read again what you show. \`end\` is the last event when the right to read has ended. Its data is the
error that a request would get.`;

export function streamRoutes(server: Server, { db, live, clock, log }: App): void {
  const streams = new Streams({ db, live, clock, log });
  // Ends the streams before the server waits for its answers, because streams do not end by themselves.
  server.addHook('preClose', async () => streams.close());
  workspace.get(server, '/events/stream', {
    id: 'streamEvents',
    summary: 'Live events of the workspace',
    description,
    can: 'ticket.read',
    exposeHeadRoute: false,
    query: streamQuery,
    answers: { 200: eventStream },
    handler: async (request, reply) => {
      const { workspaceId, sight, userId, keyId } = request.actor;
      const { sessionId = null, expiresAtMs = Number.POSITIVE_INFINITY } = request.principal ?? {};
      const lastEventId = request.headers['last-event-id'];
      streams.refuseMore(workspaceId);
      const holder = { workspaceId, sight, userId, sessionId, keyId, expiresAtMs };
      // The gate may have answered from its cache, and a stream may not outlive a revoked right by another second.
      const [ended] = await findEnded(db, [{ holder }]);
      if (ended?.key === null) throw new AppError('unavailable', {}, { headers: { 'retry-after': '1' } });
      if (ended !== undefined) throw new AppError(ended.key);
      // Keeps proxies from delaying events by buffering or compression.
      reply.headers({ 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' }).type('text/event-stream');
      reply.hijack();
      // A client that left while the gate ran emits no further event, so check here.
      const { socket } = request.raw;
      if (socket.destroyed || socket.readableEnded) {
        reply.raw.destroy();
        return;
      }
      for (const [name, value = ''] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value);
      reply.raw.writeHead(200);
      const subscriber = streams.open(
        reply.raw,
        holder,
        typeof lastEventId === 'string' ? lastEventId : request.query.lastEventId,
      );
      // The server allows half-closed connections, but a stream's reader that closes its end is gone.
      const leave = (): void => void reply.raw.end();
      socket.once('end', leave);
      reply.raw.on('close', () => {
        socket.off('end', leave);
        const { endedBy: reason = 'client' } = subscriber;
        log.info(
          { workspaceId, userId, keyId: keyId ?? undefined, reason, durationMs: Math.round(reply.elapsedTime) },
          'stream ended',
        );
      });
    },
  });
}
