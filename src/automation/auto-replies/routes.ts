import { Type } from 'typebox';
import type { App } from '../../app.ts';
import { etagOf, ifMatchOf, type Server } from '../../ground/http/http.ts';
import { answer, inWorkspace } from '../../ground/http/operation.ts';
import { ticketParams } from '../../helpdesk/tickets/schema.ts';
import { listMachineMailPauses, resumeMachineMail } from '../machine-mail/pauses.ts';
import { createAutoReply, deleteAutoReply, updateAutoReply } from './keep-auto-reply.ts';
import { listAutoAnswers } from './list-of-ticket.ts';
import { mailTest } from './mail-test.ts';
import { getAutoReply, listAutoReplies } from './queries.ts';
import {
  autoAnswerSchema,
  autoReplyParams,
  autoReplySchema,
  createAutoReplyBody,
  pauseSchema,
  resumeBody,
  updateAutoReplyBody,
} from './schema.ts';

const workspace = inWorkspace('auto-replies');

export function autoReplyRoutes(server: Server, app: App): void {
  readRoutes(server, app);
  changeRoutes(server);
  testRoute(server);
  pauseRoutes(server, app);
}

function readRoutes(server: Server, { db, clock }: App): void {
  workspace.get(server, '/auto-replies', {
    id: 'listAutoReplies',
    summary: 'List the automatic replies of a workspace by their names',
    can: 'ticket.read',
    answers: { 200: Type.Array(autoReplySchema) },
    handler: ({ actor: { workspaceId } }) => listAutoReplies(db, { workspaceId, now: clock.now() }),
  });

  workspace.get(server, '/auto-replies/:autoReplyId', {
    id: 'readAutoReply',
    summary: 'Read an automatic reply',
    can: 'ticket.read',
    errors: ['auto_reply.not_found'],
    params: autoReplyParams,
    answers: { 200: autoReplySchema },
    handler: async ({ actor: { workspaceId }, params: { autoReplyId } }, reply) => {
      const found = await getAutoReply(db, { workspaceId, autoReplyId, now: clock.now() });
      reply.header('etag', etagOf(found.version));
      return found;
    },
  });

  workspace.get(server, '/tickets/:ticketId/automatic-replies', {
    id: 'listAutomaticRepliesOfTicket',
    summary: 'List which automatic replies the mails of a ticket got in the last 30 days, and why they got none',
    description: 'The newest 100, the newest first. Mail for which no automatic reply is there is left out.',
    can: 'ticket.read',
    errors: ['ticket.not_found'],
    params: ticketParams,
    answers: { 200: Type.Array(autoAnswerSchema) },
    handler: ({ actor, params }) => listAutoAnswers(db, actor, params.ticketId),
  });
}

function changeRoutes(server: Server): void {
  workspace.post(server, '/auto-replies', {
    id: 'createAutoReply',
    summary: 'Make an automatic reply',
    description: 'It is switched off unless `isActive` says otherwise, and answers mail that comes from then on.',
    can: 'rule.manage',
    errors: ['auto_reply.too_many'],
    body: createAutoReplyBody,
    answers: { 201: autoReplySchema },
    inTx: async (tx, { actor, body }) => {
      const made = await createAutoReply(tx, actor, body);
      return answer(made, { etag: made.version });
    },
  });

  workspace.patch(server, '/auto-replies/:autoReplyId', {
    id: 'updateAutoReply',
    summary: 'Change an automatic reply, or switch it on or off',
    can: 'rule.manage',
    errors: ['auto_reply.not_found', 'auto_reply.version_mismatch'],
    params: autoReplyParams,
    body: updateAutoReplyBody,
    answers: { 200: autoReplySchema },
    inTx: async (tx, request) => {
      const { actor, params, body } = request;
      const input = { ...body, autoReplyId: params.autoReplyId, ifMatch: ifMatchOf(request) };
      const changed = await updateAutoReply(tx, actor, input);
      return answer(changed, { etag: changed.version });
    },
  });

  workspace.delete(server, '/auto-replies/:autoReplyId', {
    id: 'deleteAutoReply',
    summary: 'Delete an automatic reply',
    description: 'The mails that it sent stay in their tickets.',
    can: 'rule.manage',
    errors: ['auto_reply.not_found'],
    params: autoReplyParams,
    answers: { 204: Type.Null({ description: 'The automatic reply is deleted.' }) },
    inTx: (tx, { actor, params }) => deleteAutoReply(tx, actor, params),
  });
}

function testRoute(server: Server): void {
  workspace.post(server, '/auto-replies/:autoReplyId/test', {
    id: 'testAutoReply',
    summary: 'Mail yourself what an automatic reply says',
    description: 'Goes to the address of your account, as if you had written the mail that it answers.',
    can: 'rule.manage',
    errors: ['auto_reply.not_found', 'saved_reply.not_found', 'saved_reply.variable_missing'],
    params: autoReplyParams,
    answers: { 204: Type.Null({ description: 'The mail is on its way.' }) },
    inTx: (tx, { actor, params }) => mailTest(tx, actor, params.autoReplyId),
  });
}

function pauseRoutes(server: Server, { db }: App): void {
  workspace.get(server, '/auto-replies/pauses', {
    id: 'listAutomaticMailPauses',
    summary: 'List the mailboxes whose automatic mail rests, because they sent too much of it within an hour',
    can: 'ticket.read',
    answers: { 200: Type.Array(pauseSchema) },
    handler: ({ actor }) => listMachineMailPauses(db, actor.workspaceId),
  });

  workspace.post(server, '/auto-replies/resume', {
    id: 'resumeAutomaticMail',
    summary: 'Let automatic mail of a mailbox leave again',
    description: 'What came meanwhile gets no automatic answer.',
    can: 'rule.manage',
    body: resumeBody,
    answers: { 204: Type.Null({ description: 'It leaves from now on.' }) },
    inTx: (tx, { actor, body }) => resumeMachineMail(tx, actor, body.mailboxId),
  });
}
