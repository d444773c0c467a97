import { Type } from 'typebox';
import type { App } from '../../app.ts';
import type { Server } from '../../ground/http/http.ts';
import { forEveryone } from '../../ground/http/operation.ts';
import { workspaceParams } from '../../ground/http/schema.ts';
import { AppError } from '../../ground/lib/errors.ts';
import { openKeptImages } from './keep-image.ts';
import { bytes, signedFileQuery } from './schema.ts';
import { asDownload } from './send-file.ts';

const everyone = forEveryone('attachments');

const signedImageQuery = Type.Object({
  ...signedFileQuery.properties,
  address: Type.String({ minLength: 1, maxLength: 8_000 }),
});

export function imageRoutes(server: Server, app: App): void {
  const { blobs, fileUrls } = app;
  const keptImage = openKeptImages(app);
  everyone.get(server, '/v1/remote-images/:workspaceId', {
    id: 'showRemoteImage',
    summary: 'Show a picture of a mail from another server',
    description:
      'The `url` of one of `remoteImages` leads here. It needs no token and works for 10 to 20 minutes. ' +
      'The service fetches the picture and keeps it for a week, so the other server learns nothing about readers.',
    errors: ['image.not_found', 'attachment.url_expired'],
    params: workspaceParams,
    query: signedImageQuery,
    answers: { 200: bytes('The picture: PNG, JPEG, GIF, WebP or AVIF.', 'image/*') },
    handler: async ({ params, query }, reply) => {
      const { workspaceId } = params;
      const { address } = query;
      const verdict = fileUrls.checkImage({ workspaceId, ...query });
      if (verdict === 'forged') throw new AppError('image.not_found');
      if (verdict === 'expired') throw new AppError('attachment.url_expired');
      const image = await keptImage(workspaceId, address);
      const content = image && (await blobs.open(workspaceId, image.sha256));
      if (image === undefined || content === undefined) throw new AppError('image.not_found');
      asDownload(reply, { fileName: 'picture', contentType: image.contentType });
      return reply
        .header('content-disposition', 'inline')
        .header('cross-origin-resource-policy', 'cross-origin')
        .header('cache-control', 'private, max-age=600, immutable')
        .header('content-length', image.sizeBytes)
        .send(content);
    },
  });
}
