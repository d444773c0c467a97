import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { inWorkspace } from '../../ground/http/operation.ts';
import { acceptForms } from './accept-forms.ts';
import { addUpload } from './keep-upload.ts';
import { receiveUpload } from './receive-upload.ts';
import { attachmentSchema, uploadForm } from './schema.ts';

const workspace = inWorkspace('attachments');

export function uploadRoutes(server: Server, app: App): void {
  acceptForms(server, (scope) => uploadRoute(scope, app));
}

function uploadRoute(server: Server, app: App): void {
  workspace.post(server, '/uploads', {
    id: 'uploadFile',
    summary: 'Upload a file for a message of any ticket, also of a new ticket',
    description:
      'Put the id into `attachmentIds` of a message, a new ticket or your own draft. ' +
      'Until then only you see the file. An upload that is not used within 24 hours is deleted.',
    can: 'ticket.write',
    errors: ['workspace.storage_full'],
    takesFile: true,
    consumes: ['multipart/form-data'],
    body: uploadForm,
    answers: { 201: attachmentSchema },
    handler: async (request, reply) => {
      const { workspaceId } = request.actor;
      await receiveUpload(app, request, {
        workspaceId,
        write: (upload, room) =>
          answerInTx(app.db, request, reply, async (tx, actor) => {
            const file = await addUpload(tx, actor, { ticketId: null, upload });
            await room.settle(tx, file.size);
            return { status: 201, body: { ...file, url: app.fileUrls.urlOf(actor, file.id) } };
          }),
      });
    },
  });
}
