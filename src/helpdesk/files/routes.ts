import { Type } from 'typebox';
import { noteLookInto } from '../../access/teams/owners-look.ts';
import { requesterOf } from '../../access/workspaces/requester.ts';
import type { App } from '../../app.ts';
import { everything } from '../../ground/catalog/scope.ts';
import { partsOf } from '../../ground/database/sight.ts';
import type { Server } from '../../ground/http/http.ts';
import { forEveryone, inWorkspace } from '../../ground/http/operation.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { imageRoutes } from './image-routes.ts';
import { findAttachment } from './queries.ts';
import { attachmentParams, bytes, signedFileQuery } from './schema.ts';
import { sendFile } from './send-file.ts';
import { uploadRoutes } from './upload-routes.ts';

const workspace = inWorkspace('attachments');
const everyone = forEveryone('attachments');

const answers = {
  200: bytes('The file, with its own type.'),
  206: bytes('The part of the file that `Range` asks for.'),
  304: Type.Null({ description: 'The file is the one that `If-None-Match` names.' }),
};

export function fileRoutes(server: Server, app: App): void {
  uploadRoutes(server, app);
  downloadRoute(server, app);
  signedRoute(server, app);
  imageRoutes(server, app);
}

function downloadRoute(server: Server, { db, blobs }: App): void {
  workspace.get(server, '/attachments/:attachmentId', {
    id: 'downloadAttachment',
    summary: 'Download an attachment',
    description: 'Supports `Range` and `If-None-Match`. Browsers save the file and never show it.',
    can: 'ticket.read',
    errors: ['attachment.not_found', 'request.range_not_satisfiable'],
    params: attachmentParams,
    answers: answers,
    handler: async (request, reply) => {
      const { actor } = request;
      const { workspaceId, userId } = actor;
      const file = await findAttachment(db, actor, request.params.attachmentId, userId);
      if (file === undefined) throw new AppError('attachment.not_found');
      await noteLookInto(db, actor, file.ticketId);
      return sendFile(request, reply, { blobs, workspaceId, file });
    },
  });
}

function signedRoute(server: Server, { db, blobs, fileUrls }: App): void {
  everyone.get(server, '/v1/files/:workspaceId/:attachmentId', {
    id: 'showFile',
    summary: 'Download the file of a signed address',
    description:
      'The `url` of an attachment leads here. It needs no token and works for 10 to 20 minutes. ' +
      'The answer is the same as from `downloadAttachment`.',
    errors: ['attachment.not_found', 'attachment.url_expired', 'request.range_not_satisfiable'],
    params: attachmentParams,
    query: signedFileQuery,
    answers: answers,
    handler: async (request, reply) => {
      const { workspaceId, attachmentId } = request.params;
      const signed = fileUrls.check({ workspaceId, attachmentId, ...request.query });
      if (signed === 'forged') throw new AppError('attachment.not_found');
      if (signed === 'expired') throw new AppError('attachment.url_expired');
      // The member or the key may see less by now than when the address was made, or have gone.
      const scope =
        signed.sight === everything
          ? signed
          : await requesterOf(db, { workspaceId, ...partsOf(signed.sight) }, 'ticket.read');
      const file = scope && (await findAttachment(db, scope, attachmentId));
      if (file === undefined) throw new AppError('attachment.not_found');
      // The page that shows the file has another origin than the API.
      reply.header('cross-origin-resource-policy', 'cross-origin');
      return sendFile(request, reply, { blobs, workspaceId, file, cacheControl: 'private, max-age=600, immutable' });
    },
  });
}
