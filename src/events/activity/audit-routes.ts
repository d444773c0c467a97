import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { listAuditLog } from './audit-log.ts';
import { auditPage, auditQuery } from './audit-schema.ts';

const workspace = inWorkspace('workspaces');

export function auditRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/audit', {
    id: 'listAuditLog',
    summary: 'List who did what to accounts, members, keys and settings',
    description:
      'Newest first. An entry about an account, such as a sign-in, appears in each workspace ' +
      'of which the user was a member at the time.',
    can: 'audit.read',
    query: auditQuery,
    answers: { 200: auditPage },
    handler: ({ actor, query }) => listAuditLog(db, actor, query),
  });
}
