import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import { actorOf, type Server } from '../../../ground/http/http.ts';
import { answerInTx } from '../../../ground/http/idempotency.ts';
import { workspaceParams } from '../../../ground/http/schema.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { findQuarantined, listQuarantine } from '../queries.ts';
import { quarantinedMail, quarantinePage, quarantineParams, quarantineQuery } from '../schema.ts';
import { discardQuarantined, retryQuarantined } from './settle.ts';

const tags = ['mail'];
const quarantine = '/v1/workspaces/:workspaceId/mail/quarantine';

const settling = [
  {
    verb: 'retry',
    operationId: 'retryQuarantinedMail',
    summary: 'Read a mail of the quarantine again',
    description:
      'Its ticket goes to the trash, unless people have written there. A mail that still cannot be read comes back, ' +
      'with a ticket of its own.',
    settle: retryQuarantined,
  },
  {
    verb: 'discard',
    operationId: 'discardQuarantinedMail',
    summary: 'Take a mail off the quarantine',
    description:
      'Its ticket, with the mail attached, goes to the trash, unless people have written there. The trash ' +
      'keeps it for 30 days.',
    settle: discardQuarantined,
  },
];

export function quarantineRoutes(server: Server, { db, blobs }: App): void {
  server.get(
    quarantine,
    {
      config: { can: 'ticket.read' },
      schema: {
        operationId: 'listQuarantinedMails',
        summary: 'List the mails that could not be read, newest first',
        description:
          'Each has its own ticket, with the original mail attached. Leaves out those with a ticket in the trash.',
        tags,
        params: workspaceParams,
        querystring: quarantineQuery,
        response: { 200: quarantinePage },
      },
    },
    (request) => {
      const { limit = 50, cursor } = request.query;
      return listQuarantine(db, actorOf(request), { limit, cursor });
    },
  );

  server.get(
    `${quarantine}/:rawMailId`,
    {
      config: { can: 'ticket.read', errors: ['mail.not_quarantined'] },
      schema: {
        operationId: 'readQuarantinedMail',
        summary: 'Read how a mail of the quarantine begins',
        tags,
        params: quarantineParams,
        response: { 200: quarantinedMail },
      },
    },
    async (request) => {
      const actor = actorOf(request);
      const { workspaceId } = actor;
      const found = await findQuarantined(db, actor, request.params.rawMailId);
      if (found === undefined) throw new AppError('mail.not_quarantined');
      const { sha256, ...mail } = found;
      // Mails without a message are those whose bytes were lost.
      const bytes = mail.messageId === null ? undefined : await blobs.packed.get(workspaceId, sha256);
      return { ...mail, beginning: bytes === undefined ? null : beginningOf(bytes) };
    },
  );

  for (const { verb, settle, ...text } of settling) {
    server.post(
      `${quarantine}/:rawMailId/${verb}`,
      {
        config: { can: 'ticket.write', errors: ['mail.not_quarantined'] },
        schema: { ...text, tags, params: quarantineParams, response: { 204: Type.Null() } },
      },
      (request, reply) =>
        answerInTx(db, request, reply, async (tx, actor) => {
          await settle(tx, actor, request.params.rawMailId);
          return { status: 204, body: null };
        }),
    );
  }
}

const beginningBytes = 8_192;

/** Zero bytes are shown by the mark of unreadable characters. */
function beginningOf(bytes: Buffer): string {
  return bytes.toString('utf8', 0, beginningBytes).replaceAll('\0', '�');
}
