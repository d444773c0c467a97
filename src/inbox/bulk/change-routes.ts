import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { stopBulkChange, undoBulkChange } from './keep-bulk-change.ts';
import { listBulkChanges, readBulkChange } from './queries.ts';
import { bulkChangeParams, bulkChangeSchema, bulkChangeWithRefusals } from './schema.ts';

const path = '/v1/workspaces/:workspaceId/bulk-changes';
const tags = ['tickets'];
const can = 'ticket.write';

/** Changes by query. Anyone who may change tickets may also stop and undo the changes of colleagues. */
export function bulkChangeRoutes(server: Server, app: App): void {
  readRoutes(server, app);
  steerRoutes(server, app);
}

function readRoutes(server: Server, { db }: App): void {
  server.get(
    path,
    {
      config: { can },
      schema: {
        operationId: 'listBulkChanges',
        summary: 'The newest 50 bulk changes by query, of the last 30 days',
        tags,
        params: workspaceParams,
        response: { 200: Type.Array(bulkChangeSchema) },
      },
    },
    (request) => listBulkChanges(db, actorOf(request).workspaceId),
  );

  server.get(
    `${path}/:bulkChangeId`,
    {
      config: { can, errors: ['bulk_change.not_found'] },
      schema: {
        operationId: 'readBulkChange',
        summary: 'Read the progress of a bulk change by query',
        tags,
        params: bulkChangeParams,
        response: { 200: bulkChangeWithRefusals },
      },
    },
    (request) => readBulkChange(db, actorOf(request), request.params.bulkChangeId),
  );
}

function steerRoutes(server: Server, { db }: App): void {
  server.post(
    `${path}/:bulkChangeId/stop`,
    {
      config: { can, errors: ['bulk_change.not_found'] },
      schema: {
        operationId: 'stopBulkChange',
        summary: 'Stop a bulk change',
        description: 'Tickets that have changed stay so, and can be undone. A change that has ended stays as it is.',
        tags,
        params: bulkChangeParams,
        response: { 200: bulkChangeSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await stopBulkChange(tx, actor, request.params.bulkChangeId),
      })),
  );

  server.post(
    `${path}/:bulkChangeId/undo`,
    {
      config: { can, errors: ['bulk_change.not_found', 'bulk_change.undo_over'] },
      schema: {
        operationId: 'undoBulkChange',
        summary: 'Undo a bulk change',
        description:
          'Brings the tickets back to their state before the change, in the background. A field that a person has ' +
          'changed since stays as it is. Possible until a day after the end of the change, and while it runs.',
        tags,
        params: bulkChangeParams,
        response: { 202: bulkChangeSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 202,
        body: await undoBulkChange(tx, actor, request.params.bulkChangeId),
      })),
  );
}
