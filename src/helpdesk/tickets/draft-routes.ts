import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import type { ErrorKey } from '../../ground/lib/errors.ts';
import type { FileUrls } from '../files/file-urls.ts';
import {
  createDraftBody,
  type Draft,
  draftParams,
  draftSchema,
  draftsPage,
  listDraftsQuery,
  putAnswerBody,
  putDraftBody,
  type StoredDraft,
} from '../messages/draft-schema.ts';
import { listDrafts } from '../messages/drafts.ts';
import { createDraft, discardDraft, putDraft } from '../messages/keep-draft.ts';
import { tellOfDraft } from '../messages/tell-of-draft.ts';
import { ticketParams } from './schema.ts';

const drafts = '/v1/workspaces/:workspaceId/drafts';
const tags = ['drafts'];
const write = { can: 'ticket.write' } as const;
const keepErrors = [
  'draft.newer',
  'draft.not_found',
  'saved_reply.not_found',
  'workspace.storage_full',
] as const satisfies readonly ErrorKey[];
const gone = { 204: Type.Null({ description: 'The draft is deleted.' }) };

export function draftRoutes(server: Server, app: App): void {
  readRoute(server, app);
  newTicketRoutes(server, app);
  ticketRoutes(server, app, 'answer');
  ticketRoutes(server, app, 'note');
}

function readRoute(server: Server, { db, fileUrls }: App): void {
  server.get(
    drafts,
    {
      config: write,
      schema: {
        operationId: 'listDrafts',
        summary: 'List your drafts, newest first',
        tags,
        params: workspaceParams,
        querystring: listDraftsQuery,
        response: { 200: draftsPage },
      },
    },
    async (request) => {
      const actor = actorOf(request);
      const { items, ...rest } = await listDrafts(db, actor, request.query);
      return { ...rest, items: items.map((draft) => presentDraft(fileUrls, actor, draft)) };
    },
  );
}

function newTicketRoutes(server: Server, { db, fileUrls, live }: App): void {
  server.post(
    drafts,
    {
      config: { ...write, errors: ['draft.too_many', 'saved_reply.not_found', 'workspace.storage_full'] },
      schema: {
        operationId: 'createDraft',
        summary: 'Create the draft of a new ticket',
        tags,
        params: workspaceParams,
        body: createDraftBody,
        response: { 201: draftSchema },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const kept: StoredDraft[] = [];
      await answerInTx(db, request, reply, async (tx) => {
        kept[0] = await createDraft(tx, actor, request.body);
        return { status: 201, body: presentDraft(fileUrls, actor, kept[0]) };
      });
      for (const draft of kept) tellOfDraft(live, actor, draft);
    },
  );

  server.put(
    `${drafts}/:draftId`,
    {
      config: { ...write, errors: ['ticket.merged', ...keepErrors] },
      schema: {
        operationId: 'putDraft',
        summary: 'Save a draft of yours by its id',
        tags,
        params: draftParams,
        body: putDraftBody,
        response: { 200: draftSchema },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const { draftId } = request.params;
      const draft = await db.tx((tx) => putDraft(tx, actor, request.body, { draftId }));
      tellOfDraft(live, actor, draft);
      return reply.send(presentDraft(fileUrls, actor, draft));
    },
  );

  server.delete(
    `${drafts}/:draftId`,
    {
      config: { ...write, errors: ['draft.not_found'] },
      schema: {
        operationId: 'deleteDraft',
        summary: 'Discard a draft of yours',
        tags,
        params: draftParams,
        response: gone,
      },
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const { draftId } = request.params;
      tellOfDraft(live, actor, await db.tx((tx) => discardDraft(tx, actor, { draftId })));
      return reply.code(204).send(null);
    },
  );
}

const names = {
  answer: { put: 'putAnswerDraft', delete: 'deleteAnswerDraft', noun: 'an answer' },
  note: { put: 'putNoteDraft', delete: 'deleteNoteDraft', noun: 'a note' },
} as const;

function ticketRoutes(server: Server, app: App, kind: 'answer' | 'note'): void {
  const { db, fileUrls, live } = app;
  const path = `/v1/workspaces/:workspaceId/tickets/:ticketId/drafts/${kind}`;
  server.put(
    path,
    {
      config: { ...write, errors: ['ticket.not_found', 'ticket.merged', 'ticket.spam', ...keepErrors] },
      schema: {
        operationId: names[kind].put,
        summary: `Save your draft of ${names[kind].noun}`,
        description:
          'Send the whole text with the `version` that you saw last. ' +
          '409 `draft.newer` carries in `params.draft` what another tab has saved since.',
        tags,
        params: ticketParams,
        body: putAnswerBody,
        response: { 200: draftSchema },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const { ticketId } = request.params;
      const draft = await db.tx((tx) => putDraft(tx, actor, request.body, { ticketId, kind }));
      tellOfDraft(live, actor, draft);
      return reply.send(presentDraft(fileUrls, actor, draft));
    },
  );

  server.delete(
    path,
    {
      config: { ...write, errors: ['draft.not_found'] },
      schema: {
        operationId: names[kind].delete,
        summary: `Discard your draft of ${names[kind].noun}`,
        tags,
        params: ticketParams,
        response: gone,
      },
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const { ticketId } = request.params;
      tellOfDraft(live, actor, await db.tx((tx) => discardDraft(tx, actor, { ticketId, kind })));
      return reply.code(204).send(null);
    },
  );
}

function presentDraft(fileUrls: FileUrls, actor: Actor, draft: StoredDraft): Draft {
  const attachments = draft.attachments.map((file) => ({ ...file, url: fileUrls.urlOf(actor, file.id) }));
  return { ...draft, attachments };
}
