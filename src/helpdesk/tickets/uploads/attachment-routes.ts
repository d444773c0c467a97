import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { answerInTx } from '../../../ground/http/idempotency.ts';
import { inWorkspace } from '../../../ground/http/operation.ts';
import { acceptForms } from '../../files/accept-forms.ts';
import { receiveUpload } from '../../files/receive-upload.ts';
import { attachmentSchema, uploadForm } from '../../files/schema.ts';
import { checkTakesFiles } from '../../messages/check-takes-files.ts';
import { ticketParams } from '../schema.ts';
import { uploadAttachment } from './upload.ts';

const workspace = inWorkspace('attachments');

export function attachmentRoutes(server: Server, app: App): void {
  acceptForms(server, (scope) => uploadRoute(scope, app));
}

function uploadRoute(server: Server, app: App): void {
  workspace.post(server, '/tickets/:ticketId/attachments', {
    id: 'uploadAttachment',
    summary: 'Upload a file for a message of a ticket',
    description:
      'Put the id into `attachmentIds` of the message. Uploads that no message takes are deleted after 24 hours. ' +
      'HTML of the message shows the file as `<img src="cid:<contentId>">`.',
    can: 'ticket.write',
    errors: ['ticket.not_found', 'ticket.merged', 'ticket.spam', 'workspace.storage_full'],
    takesFile: true,
    consumes: ['multipart/form-data'],
    params: ticketParams,
    body: uploadForm,
    answers: { 201: attachmentSchema },
    handler: async (request, reply) => {
      const reader = request.actor;
      const { workspaceId } = reader;
      const { ticketId } = request.params;
      await receiveUpload(app, request, {
        workspaceId,
        check: () => checkTakesFiles(app.db, reader, ticketId),
        write: (upload, room) =>
          answerInTx(app.db, request, reply, async (tx, actor) => {
            const file = await uploadAttachment(tx, actor, { ticketId, upload });
            await room.settle(tx, file.size);
            return { status: 201, body: { ...file, url: app.fileUrls.urlOf(actor, file.id) } };
          }),
      });
    },
  });
}
