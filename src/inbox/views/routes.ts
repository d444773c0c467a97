import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Live } from '../../ground/database/live.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { readCounts } from './counts.ts';
import { createView, deleteView, updateView } from './keep-view.ts';
import { getView, listViews } from './queries.ts';
import { countsSchema, createViewBody, updateViewBody, viewParams, viewSchema } from './schema.ts';

const views = '/v1/workspaces/:workspaceId/views';
const tags = ['views'];
/** Everyone who reads tickets may have personal views. `keep-view.ts` checks the permissions for shared views. */
const can = 'ticket.read';

export function viewRoutes(server: Server, app: App): void {
  readRoutes(server, app);
  countRoutes(server, app);
  writeRoutes(server, app);
}

function readRoutes(server: Server, { db }: App): void {
  server.get(
    views,
    {
      config: { can },
      schema: {
        operationId: 'listViews',
        summary: 'Your saved views and the shared ones, by name',
        tags,
        params: workspaceParams,
        response: { 200: Type.Array(viewSchema) },
      },
    },
    (request) => listViews(db, actorOf(request)),
  );

  server.get(
    `${views}/:viewId`,
    {
      config: { can, errors: ['view.not_found'] },
      schema: {
        operationId: 'readView',
        summary: 'Read a saved view',
        tags,
        params: viewParams,
        response: { 200: viewSchema },
      },
    },
    (request) => getView(db, actorOf(request), request.params.viewId),
  );
}

function countRoutes(server: Server, { db, clock }: App): void {
  server.get(
    '/v1/workspaces/:workspaceId/counts',
    {
      config: { can },
      schema: {
        operationId: 'readCounts',
        summary: 'How many tickets your lists and views hold',
        tags,
        params: workspaceParams,
        response: { 200: countsSchema },
      },
    },
    (request) => readCounts(db, actorOf(request), clock.now()),
  );
}

function writeRoutes(server: Server, { db, live }: App): void {
  server.post(
    views,
    {
      config: { can, errors: ['view.too_many'] },
      schema: {
        operationId: 'createView',
        summary: 'Save a list of tickets under a name',
        description: 'A shared view requires a role that may change tickets.',
        tags,
        params: workspaceParams,
        body: createViewBody,
        response: { 201: viewSchema },
      },
    },
    async (request, reply) => {
      await answerInTx(db, request, reply, async (tx, actor) => ({
        status: 201,
        body: await createView(tx, actor, request.body),
      }));
      tellOfViews(live, actorOf(request));
    },
  );

  server.patch(
    `${views}/:viewId`,
    {
      config: { can, errors: ['view.not_found', 'view.too_many'] },
      schema: {
        operationId: 'updateView',
        summary: 'Change a saved view',
        description:
          'A shared view requires a role that may change tickets. Only its creator may share it or make it personal.',
        tags,
        params: viewParams,
        body: updateViewBody,
        response: { 200: viewSchema },
      },
    },
    async (request, reply) => {
      await answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await updateView(tx, actor, { ...request.body, viewId: request.params.viewId }),
      }));
      tellOfViews(live, actorOf(request));
    },
  );

  server.delete(
    `${views}/:viewId`,
    {
      config: { can, errors: ['view.not_found'] },
      schema: {
        operationId: 'deleteView',
        summary: 'Delete a saved view',
        description: 'A shared view may be deleted by its creator, by admins and by owners.',
        tags,
        params: viewParams,
        response: { 204: Type.Null({ description: 'The view is deleted.' }) },
      },
    },
    async (request, reply) => {
      await answerInTx(db, request, reply, async (tx, actor) => {
        await deleteView(tx, actor, request.params.viewId);
        return { status: 204, body: null };
      });
      tellOfViews(live, actorOf(request));
    },
  );
}

/** Signals all members without naming the view. Personal views are private, but a view made personal concerns all. */
function tellOfViews(live: Live, { workspaceId }: Actor): void {
  live.signal({ workspaceId, userId: null, event: 'view', data: {} });
}
