import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import type { Server } from '../../ground/http/http.ts';
import { answerInTx, isFirstTime } from '../../ground/http/idempotency.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import type { ErrorKey } from '../../ground/lib/error-catalog.ts';
import type { FileUrls } from '../files/file-urls.ts';
import {
  createDraftBody,
  type Draft,
  discardAnswerQuery,
  discardDraftQuery,
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

const workspace = inWorkspace('drafts');
const keepErrors = [
  'draft.newer',
  'draft.not_found',
  'saved_reply.not_found',
  'workspace.storage_full',
] as const satisfies readonly ErrorKey[];
const discarding =
  'With the `version` that you saw last, a text that another tab has saved since stays: 409 `draft.newer`.';
const gone = { 204: Type.Null({ description: 'The draft is deleted.' }) };

export function draftRoutes(server: Server, app: App): void {
  readRoute(server, app);
  newTicketRoutes(server, app);
  ticketRoutes(server, app, 'answer');
  ticketRoutes(server, app, 'note');
}

function readRoute(server: Server, { db, fileUrls }: App): void {
  workspace.get(server, '/drafts', {
    id: 'listDrafts',
    summary: 'List your drafts, newest first',
    can: 'ticket.write',
    query: listDraftsQuery,
    answers: { 200: draftsPage },
    handler: async ({ actor, query }) => {
      const { items, ...rest } = await listDrafts(db, actor, query);
      return { ...rest, items: items.map((draft) => presentDraft(fileUrls, actor, draft)) };
    },
  });
}

function newTicketRoutes(server: Server, { db, fileUrls, live }: App): void {
  workspace.post(server, '/drafts', {
    id: 'createDraft',
    summary: 'Create the draft of a new ticket',
    can: 'ticket.write',
    errors: ['draft.too_many', 'saved_reply.not_found', 'workspace.storage_full'],
    body: createDraftBody,
    answers: { 201: draftSchema },
    handler: async (request, reply) => {
      const { actor } = request;
      const kept: StoredDraft[] = [];
      await answerInTx(db, request, reply, async (tx) => {
        kept[0] = await createDraft(tx, actor, request.body);
        return { status: 201, body: presentDraft(fileUrls, actor, kept[0]) };
      });
      for (const draft of kept) tellOfDraft(live, actor, draft);
    },
  });

  workspace.put(server, '/drafts/:draftId', {
    id: 'putDraft',
    summary: 'Save a draft of yours by its id',
    can: 'ticket.write',
    errors: ['ticket.merged', ...keepErrors],
    params: draftParams,
    body: putDraftBody,
    answers: { 200: draftSchema },
    handler: async ({ actor, params, body }) => {
      const { draftId } = params;
      const draft = await db.tx((tx) => putDraft(tx, actor, body, { draftId }));
      tellOfDraft(live, actor, draft);
      return presentDraft(fileUrls, actor, draft);
    },
  });

  workspace.delete(server, '/drafts/:draftId', {
    id: 'deleteDraft',
    summary: 'Discard a draft of yours',
    can: 'ticket.write',
    description: discarding,
    errors: ['draft.newer', 'draft.not_found'],
    params: draftParams,
    query: discardDraftQuery,
    answers: gone,
    handler: async ({ actor, params, query }) => {
      const { draftId } = params;
      tellOfDraft(live, actor, await db.tx((tx) => discardDraft(tx, actor, { draftId }, query)));
    },
  });
}

const names = {
  answer: { put: 'putAnswerDraft', delete: 'deleteAnswerDraft', noun: 'an answer' },
  note: { put: 'putNoteDraft', delete: 'deleteNoteDraft', noun: 'a note' },
} as const;

function ticketRoutes(server: Server, app: App, kind: 'answer' | 'note'): void {
  const { db, fileUrls, live } = app;
  workspace.put(server, `/tickets/:ticketId/drafts/${kind}`, {
    id: names[kind].put,
    summary: `Save your draft of ${names[kind].noun}`,
    description:
      'Send the whole text with the `version` that you saw last. ' +
      '409 `draft.newer` carries in `params.draft` what another tab has saved since.',
    can: 'ticket.write',
    errors: ['ticket.not_found', 'ticket.merged', 'ticket.spam', ...keepErrors],
    params: ticketParams,
    body: putAnswerBody,
    answers: { 200: draftSchema },
    handler: async (request) => {
      const { actor, params, body } = request;
      const { ticketId } = params;
      const { beginKey, ...text } = body;
      const mayBegin = async (tx: Tx) =>
        beginKey === undefined || isFirstTime(tx, actor, request, { part: `begin ${ticketId}`, key: beginKey });
      const draft = await db.tx((tx) => putDraft(tx, actor, text, { ticketId, kind }, mayBegin));
      tellOfDraft(live, actor, draft);
      return presentDraft(fileUrls, actor, draft);
    },
  });

  workspace.delete(server, `/tickets/:ticketId/drafts/${kind}`, {
    id: names[kind].delete,
    summary: `Discard your draft of ${names[kind].noun}`,
    can: 'ticket.write',
    description: discarding,
    errors: ['draft.newer', 'draft.not_found'],
    params: ticketParams,
    query: discardAnswerQuery,
    answers: gone,
    handler: async ({ actor, params, query }) => {
      const { ticketId } = params;
      tellOfDraft(live, actor, await db.tx((tx) => discardDraft(tx, actor, { ticketId, kind }, query)));
    },
  });
}

function presentDraft(fileUrls: FileUrls, actor: Actor, draft: StoredDraft): Draft {
  const attachments = draft.attachments.map((file) => ({ ...file, url: fileUrls.urlOf(actor, file.id) }));
  return { ...draft, attachments };
}
