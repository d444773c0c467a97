import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { configRoutes } from './config-routes.ts';
import { startSchema } from './schema.ts';
import { readStart } from './start.ts';

export function startRoutes(server: Server, app: App): void {
  configRoutes(server, app);
  const { db, clock } = app;
  server.get(
    '/v1/workspaces/:workspaceId/start',
    {
      config: { can: 'ticket.read' },
      schema: {
        operationId: 'readStart',
        summary: 'Everything that an inbox needs before its first list',
        description: 'You, the workspace, its people, views, mailboxes, tags and counts, in one answer.',
        tags: ['workspaces'],
        params: workspaceParams,
        response: { 200: startSchema },
      },
    },
    (request) => readStart(db, actorOf(request), clock.now()),
  );
}
