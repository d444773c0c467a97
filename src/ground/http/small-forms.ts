import type { FastifyRequest } from 'fastify';
import { AppError, invalidRequest } from '../lib/errors.ts';
import type { Server } from './http.ts';

/** The types of forms that browsers send, files left aside. */
export const formTypes = ['multipart/form-data', 'application/x-www-form-urlencoded'];

/** Accepts forms of few fields on the routes that `install` registers. Their bodies are `FormData`, or missing. */
export function acceptSmallForms(server: Server, install: (scope: Server) => void): void {
  server.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      formTypes,
      { parseAs: 'buffer' },
      async (request: FastifyRequest, body: Buffer<ArrayBuffer>) => {
        const headers = { 'content-type': request.headers['content-type'] ?? '' };
        return new Response(body, { headers }).formData().catch(() => {
          throw invalidRequest({ path: 'body', key: 'bad_form' });
        });
      },
    );
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async () => {
      throw new AppError('request.unsupported_media_type');
    });
    install(scope as unknown as Server);
    done();
  });
}
