import type { App } from '../app.ts';
import { actorOf, type Server } from '../http/http.ts';
import { workspaceParams } from '../http/schema.ts';
import { listAuditLog } from './audit-log.ts';
import { auditPage, auditQuery } from './audit-schema.ts';

export function auditRoutes(server: Server, { db }: App): void {
  server.get(
    '/v1/workspaces/:workspaceId/audit',
    {
      config: { can: 'audit.read' },
      schema: {
        operationId: 'listAuditLog',
        summary: 'Who did what to accounts, members, keys and settings',
        description:
          'The newest first. What befalls an account, such as a sign-in, is told in each workspace that the person was a member of at the time.',
        tags: ['workspaces'],
        params: workspaceParams,
        querystring: auditQuery,
        response: { 200: auditPage },
      },
    },
    (request) => listAuditLog(db, actorOf(request), request.query),
  );
}
