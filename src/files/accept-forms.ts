import type { IncomingMessage } from 'node:http';
import multipart from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import type { Server } from '../platform/http.ts';

/** Other fields of a form are passed over, within reason. */
const limits = { fields: 20, parts: 25, fieldSize: 64 * 1024, headerPairs: 100, fileSize: Number.POSITIVE_INFINITY };

/** So much of a refused body is still read: who sends without looking would else never see the answer. */
const passedOverBytesMax = 64 * 1024 * 1024;
/** A body of which nothing comes for so long has been given up. */
const silenceMs = 60_000;

/** Installs routes that take forms, which stream past the limit for bodies, and nothing else. */
export function acceptForms(server: Server, install: (scope: Server) => void): void {
  server.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.register(multipart, { limits, preservePath: true, throwFileSizeLimit: false });
    scope.addContentTypeParser('*', (request: FastifyRequest, _body: IncomingMessage, parsed) => {
      parsed(isEmpty(request.raw) ? null : new AppError('request.unsupported_media_type'), undefined);
    });
    scope.addHook('onRequest', (request, _reply, next) => {
      giveUpWhenSilent(request.raw);
      next();
    });
    scope.addHook('onError', (request, _reply, _error, next) => {
      passOver(request.raw);
      next();
    });
    install(scope as unknown as Server);
    done();
  });
}

function isEmpty({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

function giveUpWhenSilent(raw: IncomingMessage): void {
  raw.setTimeout(silenceMs, () => raw.destroy());
  // Behind its end the silence is ours.
  raw.once('end', () => raw.setTimeout(0));
}

function passOver(raw: IncomingMessage): void {
  if (raw.complete || raw.destroyed) return;
  let left = passedOverBytesMax;
  raw.unpipe();
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.destroy();
  });
}
