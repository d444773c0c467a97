import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Live } from '../../ground/database/live.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { readCounts } from './counts.ts';
import { createView, deleteView, updateView } from './keep-view.ts';
import { getView, listViews } from './queries.ts';
import { countsSchema, createViewBody, updateViewBody, viewParams, viewSchema } from './schema.ts';

/** Everyone who reads tickets may have personal views. `keep-view.ts` checks the permissions for shared views. */
const workspace = inWorkspace('views');

export function viewRoutes(server: Server, app: App): void {
  readRoutes(server, app);
  countRoutes(server, app);
  writeRoutes(server, app);
}

function readRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/views', {
    id: 'listViews',
    summary: 'Your saved views and the shared ones, by name',
    can: 'ticket.read',
    answers: { 200: Type.Array(viewSchema) },
    handler: ({ actor }) => listViews(db, actor),
  });

  workspace.get(server, '/views/:viewId', {
    id: 'readView',
    summary: 'Read a saved view',
    can: 'ticket.read',
    errors: ['view.not_found'],
    params: viewParams,
    answers: { 200: viewSchema },
    handler: ({ actor, params }) => getView(db, actor, params.viewId),
  });
}

function countRoutes(server: Server, { db, clock }: App): void {
  workspace.get(server, '/counts', {
    id: 'readCounts',
    summary: 'How many tickets your lists and views hold',
    can: 'ticket.read',
    answers: { 200: countsSchema },
    handler: ({ actor }) => readCounts(db, actor, clock.now()),
  });
}

function writeRoutes(server: Server, { live }: App): void {
  workspace.post(server, '/views', {
    id: 'createView',
    summary: 'Save a list of tickets under a name',
    description: 'A shared view requires a role that may change tickets.',
    can: 'ticket.read',
    errors: ['view.too_many'],
    body: createViewBody,
    answers: { 201: viewSchema },
    inTx: (tx, { actor, body }) => createView(tx, actor, body),
    afterwards: ({ actor }) => tellOfViews(live, actor),
  });

  workspace.patch(server, '/views/:viewId', {
    id: 'updateView',
    summary: 'Change a saved view',
    description:
      'A shared view requires a role that may change tickets. Only its creator may share it or make it personal.',
    can: 'ticket.read',
    errors: ['view.not_found', 'view.too_many'],
    params: viewParams,
    body: updateViewBody,
    answers: { 200: viewSchema },
    inTx: (tx, { actor, params, body }) => updateView(tx, actor, { ...body, viewId: params.viewId }),
    afterwards: ({ actor }) => tellOfViews(live, actor),
  });

  workspace.delete(server, '/views/:viewId', {
    id: 'deleteView',
    summary: 'Delete a saved view',
    description: 'A shared view may be deleted by its creator, by admins and by owners.',
    can: 'ticket.read',
    errors: ['view.not_found'],
    params: viewParams,
    answers: { 204: Type.Null({ description: 'The view is deleted.' }) },
    inTx: (tx, { actor, params }) => deleteView(tx, actor, params.viewId),
    afterwards: ({ actor }) => tellOfViews(live, actor),
  });
}

/** Signals all members without naming the view. Personal views are private, but a view made personal concerns all. */
function tellOfViews(live: Live, { workspaceId }: Actor): void {
  live.signal({ workspaceId, userId: null, event: 'view', data: {} });
}
