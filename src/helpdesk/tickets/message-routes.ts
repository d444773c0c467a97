import { findFromOutside, noteOwnersLook } from '../../access/teams/owners-look.ts';
import type { App } from '../../app.ts';
import { together } from '../../ground/database/db.ts';
import type { Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { DroppedDraft } from '../messages/keep-draft.ts';
import { appendedMessageSchema, appendMessageBody } from '../messages/new-message-schema.ts';
import { presentMessage } from '../messages/present.ts';
import { listNewestMessages } from '../messages/queries.ts';
import { listMessagesQuery, type Message, messagePageSchema } from '../messages/schema.ts';
import { tellOfDraft } from '../messages/tell-of-draft.ts';
import { hasTicket } from './queries.ts';
import { ticketParams } from './schema.ts';
import { appendWithReply } from './with-reply/with-reply.ts';

const workspace = inWorkspace('tickets');
/** The errors of a message that comes from a saved reply. */
export const replyErrors = [
  'saved_reply.not_found',
  'saved_reply.variable_missing',
  'saved_reply.actions_not_allowed',
  'ticket.assignee_outside_team',
] as const;

export function messageRoutes(server: Server, app: App): void {
  listRoute(server, app);
  appendRoute(server, app);
}

function listRoute(server: Server, { db, fileUrls }: App): void {
  workspace.get(server, '/tickets/:ticketId/messages', {
    id: 'listMessages',
    summary: 'List the newest messages of a ticket, and earlier ones by cursor',
    can: 'ticket.read',
    errors: ['ticket.not_found'],
    isLarge: true,
    params: ticketParams,
    query: listMessagesQuery,
    answers: { 200: messagePageSchema },
    handler: async ({ actor, params, query }) => {
      const { ticketId } = params;
      const { before, limit = 30, bodies, trash } = query;
      const areHeads = bodies === 'none';
      const [isThere, fromOutside] = await together([
        hasTicket(db, actor, ticketId, { trash }),
        findFromOutside(db, actor, ticketId),
      ]);
      if (!isThere) throw new AppError('ticket.not_found');
      if (fromOutside !== undefined) await db.tx((tx) => noteOwnersLook(tx, actor, fromOutside));
      const page = await listNewestMessages(db, actor, { ticketId, before, limit, areHeads });
      return {
        ...page,
        messages: page.messages.map(({ snippet, ...message }) => {
          const presented = presentMessage(fileUrls, actor, message);
          return { ...(areHeads ? headOf(presented) : presented), snippet };
        }),
      };
    },
  });
}

function headOf({ body: _, bodyHtml: __, replyText: ___, newHtml: ____, quotedHtml: _____, ...head }: Message) {
  return head;
}

function appendRoute(server: Server, { db, fileUrls, live }: App): void {
  workspace.post(server, '/tickets/:ticketId/messages', {
    id: 'appendMessage',
    summary: 'Add an answer or an internal note',
    can: 'ticket.write',
    errors: [
      'ticket.not_found',
      'ticket.merged',
      'ticket.spam',
      'ticket.newer_message',
      'mailbox.none_sends',
      'draft.newer',
      'draft.not_found',
      ...replyErrors,
      'message.too_many_scheduled',
      'workspace.recipient_limit',
      'workspace.storage_full',
    ],
    params: ticketParams,
    body: appendMessageBody,
    answers: { 201: appendedMessageSchema },
    handler: async (request, reply) => {
      const dropped: DroppedDraft[] = [];
      await answerInTx(db, request, reply, async (tx, actor) => {
        const appended = await appendWithReply(tx, actor, {
          ...request.body,
          ticketId: request.params.ticketId,
        });
        const { message, ticket, ignoredMentions } = appended;
        if (appended.dropped !== undefined) dropped.push(appended.dropped);
        const presented = presentMessage(fileUrls, actor, message);
        const body = ignoredMentions.length === 0 ? presented : { ...presented, ignoredMentions };
        return { status: 201, body, etag: ticket.version };
      });
      for (const draft of dropped) tellOfDraft(live, request.actor, draft);
    },
  });
}
