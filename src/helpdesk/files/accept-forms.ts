import type { IncomingMessage } from 'node:http';
import multipart from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { Server } from '../../ground/http/http.ts';
import { AppError } from '../../ground/lib/errors.ts';

/** A form's other fields are ignored, up to these limits. */
const limits = { fields: 20, fieldSize: 64 * 1024, headerPairs: 100, fileSize: Number.POSITIVE_INFINITY };

/**
 * Installs routes that accept only forms. Forms stream, so the limit for bodies does not apply to them.
 * @param filesMax how many files a route takes
 */
export function acceptForms(server: Server, install: (scope: Server) => void, filesMax = 1): void {
  const parts = limits.fields + filesMax + 4;
  server.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.register(multipart, { limits: { ...limits, parts }, preservePath: true, throwFileSizeLimit: false });
    scope.addContentTypeParser('*', (request: FastifyRequest, _body: IncomingMessage, parsed) => {
      parsed(isEmpty(request.raw) ? null : new AppError('request.unsupported_media_type'), undefined);
    });
    install(scope as unknown as Server);
    done();
  });
}

function isEmpty({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}
