import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../lib/errors.ts';
import { type BodyLimits, findLate } from './body-limits.ts';
import { type Exchange, isArriving, openRegister } from './exchanges.ts';

/** Tracks the requests of each connection that are still arriving or not answered yet. */
export type Connections = {
  watch(server: HttpServer): void;
  /** Whether a complete request on this connection is not answered yet. */
  owesAnswer(socket: Socket): boolean;
  /** Closes the connection once every complete request on it is answered, and accepts no further request. */
  closeWhenAnswered(socket: Socket): void;
  /** Limits this request by a rate instead of a time, because its body is a file that streams to disk. */
  expectFile(request: IncomingMessage): void;
};

/** How long the rest of a body is read after it was refused as too slow. */
const lingerMs = 5_000;

/**
 * Tracks an HTTP server's connections for three purposes that Node does not cover:
 *
 * - A body that arrives too slowly is refused (`body-limits.ts`). Node's `requestTimeout` is one time for all routes.
 * - An answer that is sent before the body has arrived reaches the client. Closing a socket with unread data resets the
 *   connection, and the client loses the answer (RFC 9112 §9.6). So the rest of the body is read and dropped first, up
 *   to a limit.
 * - A stop closes each connection as soon as its answers are sent. Node's `closeIdleConnections` cuts off the answers
 *   of slow readers, and keeps connections on which no request was begun.
 */
export function openConnections(limits: BodyLimits): Connections {
  const register = openRegister();
  const { closeIfDone, closeWhenAnswered, closeAllWhenAnswered } = openClosing(register);
  const finish = (exchange: Exchange): void => {
    const { socket } = exchange;
    register.end(exchange);
    // The answer had `Connection: close`, so our end is closed already.
    if (socket.writableEnded) socket.destroySoon();
    else closeIfDone(socket);
  };
  const onAnswered = (exchange: Exchange): void => {
    const { request, socket } = exchange;
    if (request.complete || socket.destroyed) {
      finish(exchange);
      return;
    }
    // The limits for the rest of the body start counting here.
    exchange.droppedUntilMs ??= Number.POSITIVE_INFINITY;
    exchange.startedAtMs = performance.now();
    exchange.bytesBefore = socket.bytesRead;
    request.once('close', () => finish(exchange));
    dropRest(request);
    closeIfDone(socket);
  };
  const look = (): void => {
    const nowMs = performance.now();
    const { late, overdue, overmuch } = findLate(register.arriving(), limits, nowMs);
    for (const exchange of late) refuse(exchange, new AppError('request.timeout'), nowMs);
    for (const exchange of overmuch)
      refuse(exchange, new AppError('unavailable', {}, { headers: { 'retry-after': '1' } }), nowMs);
    for (const { socket } of overdue) socket.destroy();
  };

  return {
    watch: (server) => {
      const timer = setInterval(look, limits.lookMs).unref();
      server.once('close', () => clearInterval(timer));
      server.on('connection', (socket: Socket) => {
        register.open(socket);
        lingerWhile(socket, () => register.of(socket).some(isArriving));
      });
      // Before the listener of the framework, whose hooks may already mark the request as a file.
      server.prependListener('request', (request, response) => {
        const exchange = register.begin(request, response);
        response.once('close', () => onAnswered(exchange));
      });
      server.closeIdleConnections = closeAllWhenAnswered;
    },
    owesAnswer: register.owesAnswer,
    closeWhenAnswered,
    expectFile: (request) => {
      const exchange = register.of(request.socket).find((one) => one.request === request);
      if (exchange !== undefined) exchange.isFile = true;
    },
  };
}

/** Closes connections as soon as no answer is owed on them: single connections, or all when the server stops. */
function openClosing(register: ReturnType<typeof openRegister>) {
  const closing = new WeakSet<Socket>();
  let isServerClosing = false;
  const closeIfDone = (socket: Socket): void => {
    const isIdle = isServerClosing && register.of(socket).length === 0;
    // `destroySoon` sends the rest of the socket's buffer first.
    if (isIdle || (closing.has(socket) && !register.owesAnswer(socket))) socket.destroySoon();
  };
  return {
    closeIfDone,
    closeWhenAnswered: (socket: Socket): void => {
      closing.add(socket);
      closeIfDone(socket);
    },
    closeAllWhenAnswered: (): void => {
      isServerClosing = true;
      for (const socket of register.sockets()) {
        // `Connection: close` keeps a client or a proxy from sending its next request here.
        const last = register.of(socket).at(-1);
        if (last !== undefined) last.response.shouldKeepAlive = false;
        closeIfDone(socket);
      }
    },
  };
}

/** Makes `destroySoon` close only our end while a body arrives, so that the client can still read the answer. */
function lingerWhile(socket: Socket, isBodyArriving: () => boolean): void {
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (isBodyArriving()) socket.end();
    else destroySoon();
  };
}

function dropRest(request: IncomingMessage): void {
  request.unpipe();
  request.removeAllListeners('data');
  request.resume();
}

/** Refuses a request while its body is being read. The reader of the body gets the error and handles it as usual. */
function refuse(exchange: Exchange, error: AppError, nowMs: number): void {
  const { request, response, socket } = exchange;
  if (response.headersSent) {
    socket.destroy();
    return;
  }
  // No handler reads the body yet. The hook that keeps the request waiting has its own limit.
  if (request.listenerCount('error') === 0) return;
  exchange.droppedUntilMs = nowMs + lingerMs;
  response.shouldKeepAlive = false;
  request.emit('error', error);
}
