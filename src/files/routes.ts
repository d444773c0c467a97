import { Type } from 'typebox';
import type { App } from '../app.ts';
import { AppError } from '../lib/errors.ts';
import { actorOf, type Server } from '../platform/http.ts';
import { findAttachment } from './queries.ts';
import { attachmentParams, bytes } from './schema.ts';
import { sendFile } from './send-file.ts';

export function fileRoutes(server: Server, { db, blobs }: App): void {
  server.get(
    '/v1/workspaces/:workspaceId/attachments/:attachmentId',
    {
      config: { can: 'ticket.read', errors: ['attachment.not_found', 'request.range_not_satisfiable'] },
      schema: {
        operationId: 'downloadAttachment',
        summary: 'Download an attachment',
        description: 'Takes `Range` and `If-None-Match`. What it answers is to be saved, never shown.',
        tags: ['attachments'],
        params: attachmentParams,
        response: {
          200: bytes('The file.'),
          206: bytes('The part of the file that `Range` asks for.'),
          304: Type.Null({ description: 'The file is the one that `If-None-Match` names.' }),
        },
      },
    },
    async (request, reply) => {
      const { workspaceId } = actorOf(request);
      const file = await findAttachment(db, workspaceId, request.params.attachmentId);
      if (file === undefined) throw new AppError('attachment.not_found');
      return sendFile(request, reply, { blobs, workspaceId, file });
    },
  );
}
