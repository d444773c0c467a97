import type { App } from '../app.ts';
import { actorOf, type Server } from '../http/http.ts';
import { workspaceParams } from '../http/schema.ts';
import { eventStream, streamQuery } from './schema.ts';
import { Streams } from './streams.ts';

const description = `The events are \`ticket\`, \`message\` and \`notification\`, the last for the caller alone, each with an \`id\` and JSON
as its data. \`draft\`, \`seen\`, \`presence\`, \`notification.read\`, \`view\`, \`workspace\`, \`member\` and \`preferences\` have no \`id\`, as they are not stored: what was missed is read anew. Send the last \`id\` back as \`Last-Event-ID\` to go on where a stream broke off. \`reset\` says that this is
not possible: read anew what you show. \`end\` is the last event where the right to read has ended, with the error that a
request would be answered.`;

export function streamRoutes(server: Server, { db, live, clock, log }: App): void {
  const streams = new Streams({ db, live, clock, log });
  // Before the server waits for its answers to end: these would not.
  server.addHook('preClose', async () => streams.close());
  server.get(
    '/v1/workspaces/:workspaceId/events/stream',
    {
      config: { can: 'ticket.read' },
      exposeHeadRoute: false,
      schema: {
        operationId: 'streamEvents',
        summary: 'What happens in the workspace, live',
        description,
        tags: ['tickets'],
        params: workspaceParams,
        querystring: streamQuery,
        response: { 200: eventStream },
      },
    },
    (request, reply) => {
      const { workspaceId, userId, keyId } = actorOf(request);
      const { sessionId = null, expiresAtMs = Number.POSITIVE_INFINITY } = request.principal ?? {};
      const lastEventId = request.headers['last-event-id'];
      streams.refuseMore();
      // Neither a proxy's buffer nor its compression may hold an event back.
      reply.headers({ 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' }).type('text/event-stream');
      reply.hijack();
      // Who went while the gate looked is not heard to go any more.
      const { socket } = request.raw;
      if (socket.destroyed || socket.readableEnded) {
        reply.raw.destroy();
        return;
      }
      for (const [name, value = ''] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value);
      reply.raw.writeHead(200);
      const subscriber = streams.open(
        reply.raw,
        { workspaceId, userId, sessionId, keyId, expiresAtMs },
        typeof lastEventId === 'string' ? lastEventId : request.query.lastEventId,
      );
      // A connection may be half closed, but a reader of events that closes its end is gone.
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
  );
}
