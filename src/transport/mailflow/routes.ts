import { noteLookInto } from '../../access/teams/owners-look.ts';
import { getInboundAddress } from '../../access/workspaces/inbound-address.ts';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { bytes } from '../../helpdesk/files/schema.ts';
import { asDownload } from '../../helpdesk/files/send-file.ts';
import { importRoutes } from './import/routes.ts';
import { inboundAddressOf } from './own-addresses.ts';
import { quarantineRoutes } from './quarantine/routes.ts';
import { findRawMail } from './queries.ts';
import { inboundAddress, messageParams } from './schema.ts';

const workspace = inWorkspace('mail');

export function mailRoutes(server: Server, app: App): void {
  const { db, blobs, config } = app;
  workspace.get(server, '/mail/inbound-address', {
    id: 'getInboundAddress',
    summary: 'Get the address that receives mail for the workspace',
    description: 'A team forwards its own address there. Null when the service receives no mail by SMTP.',
    can: 'ticket.read',
    answers: { 200: inboundAddress },
    handler: async ({ actor }) => {
      const { localPart } = await getInboundAddress(db, actor.workspaceId);
      return { address: config.smtpListen === undefined ? null : inboundAddressOf({ localPart }, config.mailFrom) };
    },
  });

  quarantineRoutes(server, app);
  importRoutes(server, app);

  workspace.get(server, '/messages/:messageId/raw', {
    id: 'downloadRawMail',
    summary: 'Download the original mail of a message, byte for byte',
    description: 'Answers 404 for a message that was written here, because it has no mail.',
    can: 'ticket.read',
    errors: ['message.not_found'],
    params: messageParams,
    answers: { 200: bytes('The mail, RFC 5322.', 'message/rfc822') },
    handler: async ({ actor, params }, reply) => {
      const { workspaceId } = actor;
      const found = await findRawMail(db, actor, params.messageId);
      if (found === undefined) throw new AppError('message.not_found');
      const { sha256, ticketId } = found;
      await noteLookInto(db, actor, ticketId);
      const content = await blobs.packed.open(workspaceId, sha256);
      if (content === undefined) throw new Error(`the raw mail ${sha256} is missing`);
      const fileName = `${params.messageId}.eml`;
      return asDownload(reply, { fileName, contentType: 'message/rfc822' }).send(content);
    },
  });
}
