import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { stopBulkChange, undoBulkChange } from './keep-bulk-change.ts';
import { listBulkChanges, readBulkChange } from './queries.ts';
import { bulkChangeParams, bulkChangeSchema, bulkChangeWithRefusals } from './schema.ts';

const workspace = inWorkspace('tickets');

/** Changes by query. Whoever sees all tickets may also stop and undo the changes of colleagues. */
export function bulkChangeRoutes(server: Server, app: App): void {
  readRoutes(server, app);
  steerRoutes(server);
}

function readRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/bulk-changes', {
    id: 'listBulkChanges',
    summary: 'The newest 50 bulk changes by query, of the last 30 days',
    can: 'ticket.write',
    answers: { 200: Type.Array(bulkChangeSchema) },
    handler: ({ actor }) => listBulkChanges(db, actor),
  });

  workspace.get(server, '/bulk-changes/:bulkChangeId', {
    id: 'readBulkChange',
    summary: 'Read the progress of a bulk change by query',
    can: 'ticket.write',
    errors: ['bulk_change.not_found'],
    params: bulkChangeParams,
    answers: { 200: bulkChangeWithRefusals },
    handler: ({ actor, params }) => readBulkChange(db, actor, params.bulkChangeId),
  });
}

function steerRoutes(server: Server): void {
  workspace.post(server, '/bulk-changes/:bulkChangeId/stop', {
    id: 'stopBulkChange',
    summary: 'Stop a bulk change',
    description: 'Tickets that have changed stay so, and can be undone. A change that has ended stays as it is.',
    can: 'ticket.write',
    errors: ['bulk_change.not_found'],
    params: bulkChangeParams,
    answers: { 200: bulkChangeSchema },
    inTx: (tx, { actor, params }) => stopBulkChange(tx, actor, params.bulkChangeId),
  });

  workspace.post(server, '/bulk-changes/:bulkChangeId/undo', {
    id: 'undoBulkChange',
    summary: 'Undo a bulk change',
    description:
      'Brings the tickets back to their state before the change, in the background. A field that a person has ' +
      'changed since stays as it is. Possible until a day after the end of the change, and while it runs.',
    can: 'ticket.write',
    errors: ['bulk_change.not_found', 'bulk_change.undo_over'],
    params: bulkChangeParams,
    answers: { 202: bulkChangeSchema },
    inTx: (tx, { actor, params }) => undoBulkChange(tx, actor, params.bulkChangeId),
  });
}
