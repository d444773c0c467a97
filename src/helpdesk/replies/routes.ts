import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import type { Live } from '../../ground/database/live.ts';
import { etagOf, ifMatchOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { answer, inWorkspace } from '../../ground/http/operation.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import type { FileUrls } from '../files/file-urls.ts';
import type { StoredAttachment } from '../files/schema.ts';
import { takeStorage } from '../files/storage-quota.ts';
import { copyFiles } from './files.ts';
import { createSavedReply, deleteSavedReply, updateSavedReply } from './keep-saved-reply.ts';
import { getSavedReply, listSavedReplies } from './queries.ts';
import { renderReply } from './render.ts';
import {
  createSavedReplyBody,
  listSavedRepliesQuery,
  renderedReplySchema,
  renderSavedReplyBody,
  type StoredSavedReply,
  savedRepliesPage,
  savedReplyParams,
  savedReplySchema,
  updateSavedReplyBody,
} from './schema.ts';
import { readVariableValues } from './variable-values.ts';

/** `keep-saved-reply.ts` checks the permissions for shared replies. */
const workspace = inWorkspace('saved-replies');

export function replyRoutes(server: Server, app: App): void {
  readRoutes(server, app);
  createRoute(server, app);
  changeRoutes(server, app);
  renderRoute(server, app);
}

function readRoutes(server: Server, { db, clock, fileUrls }: App): void {
  workspace.get(server, '/saved-replies', {
    id: 'listSavedReplies',
    summary: 'List and search your saved replies and the shared ones',
    description: 'A reply whose shortcut is exactly the search comes first.',
    can: 'ticket.read',
    query: listSavedRepliesQuery,
    answers: { 200: savedRepliesPage },
    handler: ({ actor, query }) => listSavedReplies(db, actor, { ...query, now: clock.now() }),
  });

  workspace.get(server, '/saved-replies/:savedReplyId', {
    id: 'readSavedReply',
    summary: 'Read a saved reply',
    can: 'ticket.read',
    errors: ['saved_reply.not_found'],
    params: savedReplyParams,
    answers: { 200: savedReplySchema },
    handler: async ({ actor, params }, reply) => {
      const { savedReplyId } = params;
      const found = await getSavedReply(db, actor, { savedReplyId, now: clock.now() });
      reply.header('etag', etagOf(found.version));
      return present(fileUrls, actor, found);
    },
  });
}

function createRoute(server: Server, { live, fileUrls }: App): void {
  workspace.post(server, '/saved-replies', {
    id: 'createSavedReply',
    summary: 'Save a text, actions or both under a name',
    can: 'ticket.write',
    errors: ['saved_reply.too_many', 'saved_reply.shortcut_taken'],
    body: createSavedReplyBody,
    answers: { 201: savedReplySchema },
    inTx: async (tx, { actor, body }) => {
      const created = await createSavedReply(tx, actor, body);
      return answer(present(fileUrls, actor, created), { etag: created.version });
    },
    afterwards: ({ actor, body }) => tellOfReply(live, actor, body.isShared === true),
  });
}

function changeRoutes(server: Server, { db, live, fileUrls }: App): void {
  workspace.patch(server, '/saved-replies/:savedReplyId', {
    id: 'updateSavedReply',
    summary: 'Change a saved reply',
    description:
      'Everybody who may change tickets may change a shared reply. Only its creator may share it or make it ' +
      'private. A new `body` or `bodyHtml` replaces both.',
    can: 'ticket.write',
    errors: [
      'saved_reply.not_found',
      'saved_reply.too_many',
      'saved_reply.shortcut_taken',
      'saved_reply.version_mismatch',
      'in_use',
    ],
    params: savedReplyParams,
    body: updateSavedReplyBody,
    answers: { 200: savedReplySchema },
    handler: async (request, reply) => {
      let isForAll = false;
      await answerInTx(db, request, reply, async (tx, actor) => {
        const input = { ...request.body, savedReplyId: request.params.savedReplyId, ifMatch: ifMatchOf(request) };
        const { before, after } = await updateSavedReply(tx, actor, input);
        isForAll = before.isShared || after.isShared;
        return { status: 200, body: present(fileUrls, actor, after), etag: after.version };
      });
      tellOfReply(live, request.actor, isForAll);
    },
  });

  workspace.delete(server, '/saved-replies/:savedReplyId', {
    id: 'deleteSavedReply',
    summary: 'Delete a saved reply',
    description: 'A shared reply may be deleted by its creator, by admins and by owners.',
    can: 'ticket.write',
    errors: ['saved_reply.not_found', 'in_use'],
    params: savedReplyParams,
    answers: { 204: Type.Null({ description: 'The saved reply is deleted.' }) },
    handler: async (request, reply) => {
      let isForAll = false;
      await answerInTx(db, request, reply, async (tx, actor) => {
        isForAll = (await deleteSavedReply(tx, actor, request.params.savedReplyId)).isShared;
        return { status: 204, body: null };
      });
      tellOfReply(live, request.actor, isForAll);
    },
  });
}

function renderRoute(server: Server, { fileUrls }: App): void {
  workspace.post(server, '/saved-replies/:savedReplyId/render', {
    id: 'renderSavedReply',
    summary: 'Fill the variables of a saved reply for a ticket, or for a new one',
    description: 'Sends nothing and changes no ticket. The number of a new ticket is filled in when it is created.',
    can: 'ticket.write',
    errors: ['saved_reply.not_found', 'ticket.not_found', 'workspace.storage_full'],
    params: savedReplyParams,
    body: renderSavedReplyBody,
    answers: { 200: renderedReplySchema },
    inTx: async (tx, request) => {
      const { actor } = request;
      const { ticketId, requester, subject, mailboxId, copyFiles: copies = false } = request.body;
      if (ticketId !== undefined && requester !== undefined)
        throw invalidRequest({ path: 'body.requester', key: 'not_with_ticket' });
      const { savedReplyId } = request.params;
      const found = await getSavedReply(tx, actor, { savedReplyId, now: tx.now });
      const { mailboxId: movesTo } = found.actions;
      const about =
        ticketId === undefined
          ? { ...requester, subject, mailboxId: movesTo === undefined ? mailboxId : movesTo }
          : { ticketId, mailboxId: movesTo };
      const values = await readVariableValues(tx, actor, about);
      const { missing, ...texts } = renderReply(found, values);
      const files = copies ? await copyFiles(tx, actor, found.attachments) : [];
      const sizeBytes = files.reduce((sum, { size }) => sum + size, 0);
      takeStorage(tx, actor.workspaceId, sizeBytes);
      return {
        ...texts,
        bodyHtml: found.bodyHtml === null ? null : texts.bodyHtml,
        actions: found.actions,
        attachments: files.map((file) => presentFile(fileUrls, actor, file)),
        missing: missing.filter(({ reason }) => ticketId !== undefined || reason !== 'no_ticket'),
      };
    },
  });
}

function present(fileUrls: FileUrls, scope: Scope, reply: StoredSavedReply) {
  return { ...reply, attachments: reply.attachments.map((file) => presentFile(fileUrls, scope, file)) };
}

function presentFile(fileUrls: FileUrls, scope: Scope, file: StoredAttachment) {
  return { ...file, url: fileUrls.urlOf(scope, file.id) };
}

/** Tells open screens to read the replies again: everybody's of a shared reply, else the member's own. */
function tellOfReply(live: Live, { workspaceId, userId }: Actor, isForAll: boolean): void {
  live.signal({ workspaceId, userId: isForAll ? null : userId, event: 'saved_reply', data: {} });
}
