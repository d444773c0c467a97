import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { configRoutes } from './config-routes.ts';
import { startSchema } from './schema.ts';
import { readStart } from './start.ts';

const workspace = inWorkspace('workspaces');

export function startRoutes(server: Server, app: App): void {
  configRoutes(server, app);
  const { db, clock } = app;
  workspace.get(server, '/start', {
    id: 'readStart',
    summary: 'Everything that an inbox needs before its first list',
    description: 'You, the workspace, its people, views, mailboxes, tags and counts, in one answer.',
    can: 'ticket.read',
    answers: { 200: startSchema },
    handler: ({ actor }) => readStart(db, actor, clock.now()),
  });
}
