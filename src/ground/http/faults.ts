import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseAway, isDatabaseDiskFull } from '../database/faults.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { Connections } from './connections.ts';
import type { Server } from './http.ts';
import { constantHeaders } from './security-headers.ts';

const methods = 'GET, HEAD, POST, PATCH, DELETE';

type SendPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/**
 * Gives every error answer the contract's body, including framework errors, unknown routes and crashes.
 * @returns a function that names the page for people whose browser asks for an unknown address
 */
export function installFaults(server: Server): (sendPage: SendPage) => void {
  let sendUnknownPage: SendPage | undefined;
  const routes: { pattern: RegExp; methods: string[] }[] = [];
  server.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}/?$`);
    routes.push({ pattern, methods: [method].flat() });
  });
  server.setNotFoundHandler((request, reply) => {
    // RFC 9110 §9.3.7: `*` means the server as a whole.
    if (request.method === 'OPTIONS' && request.url === '*') return reply.code(204).header('allow', methods).send();
    const path = request.url.split('?')[0] ?? '';
    const allowed = new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods));
    // A trailing slash matches a page's pattern, which then allows GET, but not its route.
    const isPage = allowed.size === 0 || allowed.has('GET');
    if (isPage && sendUnknownPage !== undefined && isNavigation(request, path))
      return sendUnknownPage(request, reply.code(404));
    if (allowed.size === 0) return answerFault(reply, new AppError('route.not_found'));
    return answerFault(
      reply,
      new AppError('route.method_not_allowed', {}, { headers: { allow: [...allowed].sort().join(', ') } }),
    );
  });
  server.setErrorHandler((error: FastifyError, request, reply) => answerFault(reply, asAppError(error, request)));
  return (sendPage) => {
    sendUnknownPage = sendPage;
  };
}

/** Whether a person typed the address or followed a link. Programs get JSON, and so does everybody from the API. */
function isNavigation({ method, headers }: FastifyRequest, path: string): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && headers.accept?.includes('text/html') === true && !/^\/(v1|docs|assets)(\/|$)/.test(path);
}

function answerFault(reply: FastifyReply, error: AppError): FastifyReply {
  return reply
    .code(error.status)
    .headers(error.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(error.body));
}

const frameworkKeys: Record<
  string,
  'request.too_large' | 'request.unsupported_media_type' | 'request.malformed_json' | 'route.not_found'
> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'request.too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'request.unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'request.malformed_json',
  FST_ERR_BAD_URL: 'route.not_found',
};

/** Maps any thrown error to the answer for the caller. Faults that the caller did not cause are logged. */
export function asAppError(error: FastifyError, request: Pick<FastifyRequest, 'log'>): AppError {
  if (error instanceof AppError) return error;
  if (error.validation !== undefined) return new AppError('request.invalid', { issues: [] });
  const frameworkKey = frameworkKeys[error.code];
  if (frameworkKey !== undefined) return new AppError(frameworkKey);
  if (isDatabaseAway(error)) {
    if (isDatabaseDiskFull(error)) request.log.error({ err: error }, 'the disk of the database is full');
    else request.log.warn({ err: error }, 'the database did not answer');
    return new AppError('unavailable', {}, { headers: { 'retry-after': '2' } });
  }
  if (isFileFault(error)) {
    request.log.error({ err: error }, 'a file could not be read or written');
    return new AppError('unavailable', {}, { headers: { 'retry-after': '2' } });
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    request.log.debug({ err: error }, 'the framework refused a request');
    return error.statusCode === 413
      ? new AppError('request.too_large')
      : new AppError('request.invalid', { issues: [] });
  }
  request.log.error({ err: error }, 'a request failed');
  return new AppError('internal');
}

/** The disk is full, read-only or broken, or too many files are open. Only the operator can fix these. */
function isFileFault({ code }: { code?: string }): boolean {
  return /^(?:ENOSPC|EDQUOT|EROFS|EIO|EMFILE|ENFILE)$/.test(code ?? '');
}

/** Answers an address that does not decode. The router refuses it before any hook runs. */
export function answerUnroutable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  answerFault(reply.headers({ ...constantHeaders, 'x-correlation-id': request.id }), asAppError(error, request));
}

/**
 * Answers on the bare socket what Node's HTTP parser refuses before there is a request. While an earlier request on the
 * connection is unanswered, a client would take this answer for the earlier request's. So the connection then only
 * closes after its answers.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket, connections: Connections): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  if (connections.owesAnswer(socket)) {
    connections.closeWhenAnswered(socket);
    return;
  }
  const key = parserKeys[error.code ?? ''];
  answerOnSocket(socket, key === undefined ? new AppError('request.invalid', { issues: [] }) : new AppError(key));
}

const parserKeys: Record<string, 'request.too_large' | 'request.timeout'> = {
  HPE_HEADER_OVERFLOW: 'request.too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request.timeout',
};

/** Gives the contract's error body to requests that Node would answer without a body, or not at all. */
export function installProtocolFaults(server: Server): void {
  // RFC 9110 §10.1.1 lets a server ignore an unknown expectation.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  server.server.on('connect', (_request, socket: Socket) => {
    answerOnSocket(socket, new AppError('route.method_not_allowed', {}, { headers: { allow: methods } }));
  });
  server.addHook('onRequest', (request, _reply, done) => {
    done(protocolFault(request.raw));
  });
}

/** Replaces Node's `requireHostHeader`, whose answer has no body in the contract's error shape. */
function protocolFault({ socket, httpVersionMajor, httpVersionMinor, headers, rawHeaders }: IncomingMessage) {
  // An earlier answer on this connection announced that the connection closes (RFC 9112 §9.6).
  if (socket.writableEnded) return new AppError('request.invalid', { issues: [] });
  if (httpVersionMajor !== 1) return invalidRequest({ path: 'version', key: 'bad_version' });
  // RFC 9112 §3.2.
  if (headers.host === undefined)
    return httpVersionMinor === 1 ? invalidRequest({ path: 'headers.host', key: 'required' }) : undefined;
  let hosts = 0;
  // `rawHeaders` alternates names and values.
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  return hosts > 1 ? invalidRequest({ path: 'headers.host', key: 'repeated' }) : undefined;
}

const lingerMilliseconds = 5_000;

function answerOnSocket(socket: Socket, fault: AppError): void {
  // Disconnects a client that does not close its end in time. An error here only means that the client is gone.
  socket.on('error', () => {}).setTimeout(lingerMilliseconds, () => socket.destroy());
  const body = JSON.stringify(fault.body);
  const headers = {
    ...constantHeaders,
    ...fault.headers,
    'x-correlation-id': newId(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}\r\n${head.join('')}\r\n${body}`).resume();
}
