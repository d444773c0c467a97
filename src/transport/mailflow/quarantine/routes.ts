import { Type } from 'typebox';
import { noteLookInto } from '../../../access/teams/owners-look.ts';
import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { inWorkspace } from '../../../ground/http/operation.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { findQuarantined, listQuarantine } from '../queries.ts';
import { quarantinedMail, quarantinePage, quarantineParams, quarantineQuery } from '../schema.ts';
import { discardQuarantined, retryQuarantined } from './settle.ts';

const workspace = inWorkspace('mail');

const settling = [
  {
    verb: 'retry',
    id: 'retryQuarantinedMail',
    summary: 'Read a mail of the quarantine again',
    description:
      'Its ticket goes to the trash, unless people have written there. A mail that still cannot be read comes back, ' +
      'with a ticket of its own.',
    settle: retryQuarantined,
  },
  {
    verb: 'discard',
    id: 'discardQuarantinedMail',
    summary: 'Take a mail off the quarantine',
    description:
      'Its ticket, with the mail attached, goes to the trash, unless people have written there. The trash ' +
      'keeps it for 30 days.',
    settle: discardQuarantined,
  },
];

export function quarantineRoutes(server: Server, { db, blobs }: App): void {
  workspace.get(server, '/mail/quarantine', {
    id: 'listQuarantinedMails',
    summary: 'List the mails that could not be read, newest first',
    description:
      'Each has its own ticket, with the original mail attached. Leaves out those with a ticket in the trash.',
    can: 'ticket.read',
    query: quarantineQuery,
    answers: { 200: quarantinePage },
    handler: ({ actor, query }) => {
      const { limit = 50, cursor } = query;
      return listQuarantine(db, actor, { limit, cursor });
    },
  });

  workspace.get(server, '/mail/quarantine/:rawMailId', {
    id: 'readQuarantinedMail',
    summary: 'Read how a mail of the quarantine begins',
    can: 'ticket.read',
    errors: ['mail.not_quarantined'],
    params: quarantineParams,
    answers: { 200: quarantinedMail },
    handler: async ({ actor, params }) => {
      const { workspaceId } = actor;
      const found = await findQuarantined(db, actor, params.rawMailId);
      if (found === undefined) throw new AppError('mail.not_quarantined');
      const { sha256, ...mail } = found;
      await noteLookInto(db, actor, mail.ticketId);
      // Mails without a message are those whose bytes were lost.
      const bytes = mail.messageId === null ? undefined : await blobs.packed.get(workspaceId, sha256);
      return { ...mail, beginning: bytes === undefined ? null : beginningOf(bytes) };
    },
  });

  for (const { verb, settle, ...text } of settling) {
    workspace.post(server, `/mail/quarantine/:rawMailId/${verb}`, {
      ...text,
      can: 'ticket.write',
      errors: ['mail.not_quarantined'],
      params: quarantineParams,
      answers: { 204: Type.Null() },
      inTx: (tx, { actor, params }) => settle(tx, actor, params.rawMailId),
    });
  }
}

const beginningBytes = 8_192;

/** Zero bytes are shown by the mark of unreadable characters. */
function beginningOf(bytes: Buffer): string {
  return bytes.toString('utf8', 0, beginningBytes).replaceAll('\0', '�');
}
