import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { listAuditLog } from './audit-log.ts';
import { auditPage, auditQuery } from './audit-schema.ts';

export function auditRoutes(server: Server, { db }: App): void {
  server.get(
    '/v1/workspaces/:workspaceId/audit',
    {
      config: { can: 'audit.read' },
      schema: {
        operationId: 'listAuditLog',
        summary: 'List who did what to accounts, members, keys and settings',
        description:
          'Newest first. An entry about an account, such as a sign-in, appears in each workspace ' +
          'of which the user was a member at the time.',
        tags: ['workspaces'],
        params: workspaceParams,
        querystring: auditQuery,
        response: { 200: auditPage },
      },
    },
    (request) => listAuditLog(db, actorOf(request), request.query),
  );
}
