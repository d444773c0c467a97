import type { App } from '../../app.ts';
import { actorOf, type Server } from '../../ground/http/http.ts';
import { answerInTx } from '../../ground/http/idempotency.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { acceptForms } from './accept-forms.ts';
import { addUpload } from './keep-upload.ts';
import { receiveUpload } from './receive-upload.ts';
import { attachmentSchema, uploadForm } from './schema.ts';

export function uploadRoutes(server: Server, app: App): void {
  acceptForms(server, (scope) => uploadRoute(scope, app));
}

function uploadRoute(server: Server, app: App): void {
  server.post(
    '/v1/workspaces/:workspaceId/uploads',
    {
      config: { can: 'ticket.write', takesFile: true, errors: ['workspace.storage_full'] },
      schema: {
        operationId: 'uploadFile',
        summary: 'Upload a file for a message of any ticket, also of a new ticket',
        description:
          'Put the id into `attachmentIds` of a message, a new ticket or your own draft. ' +
          'Until then only you see the file. An upload that is not used within 24 hours is deleted.',
        tags: ['attachments'],
        params: workspaceParams,
        consumes: ['multipart/form-data'],
        body: uploadForm,
        response: { 201: attachmentSchema },
      },
    },
    async (request, reply) => {
      const { workspaceId } = actorOf(request);
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
  );
}
