import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../lib/errors.ts';
import { type BodyLimits, bodyLimitsDefault, findLate } from './body-limits.ts';

/** Our own account of each connection: which requests are still arriving on it, and which are still to be answered. */
export type Connections = {
  watch(server: HttpServer): void;
  /** Whether a request that has arrived whole on this connection is still to be answered. */
  owesAnswer(socket: Socket): boolean;
  /** Closes the connection once every request that arrived whole on it is answered, and takes no more from it. */
  closeWhenAnswered(socket: Socket): void;
  /** This request's body is a file that streams to disk: its limit is a rate, not a time. */
  expectFile(request: IncomingMessage): void;
};

/** A request and its answer, until both are over. */
export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  socket: Socket;
  startedAtMs: number;
  /** What the connection had received before this body. */
  bytesBefore: number;
  isFile: boolean;
  /** The request is refused or answered; the rest of its body is read and dropped until then. */
  droppedUntilMs: number | undefined;
};

/** How long the rest of a body is read behind an answer that says it came too late. */
const lingerMs = 5_000;

/**
 * Keeps the account of an HTTP server's connections, for three purposes that node does not serve:
 *
 * - A body that arrives too slowly is refused (`body-limits.ts`). Node's `requestTimeout` knows one time for all routes.
 * - An answer that leaves before the body has arrived is delivered. Closing a socket with unread data resets the connection,
 *   and the client loses the answer (RFC 9112 §9.6): the rest of the body is read and dropped first, up to a bound.
 * - A stop ends each connection as soon as its answers have left. Node's `closeIdleConnections` cuts an answer off where the
 *   reader is slower, and spares a connection on which no request was begun.
 */
export function openConnections(limits: BodyLimits = bodyLimitsDefault): Connections {
  const exchanges = new Map<Socket, Map<IncomingMessage, Exchange>>();
  const closing = new WeakSet<Socket>();
  let isServerClosing = false;

  const of = (socket: Socket): Exchange[] => [...(exchanges.get(socket)?.values() ?? [])];
  const owesAnswer = (socket: Socket): boolean =>
    of(socket).some(({ request, response }) => request.complete && !response.writableFinished);
  const closeIfDone = (socket: Socket): void => {
    const isIdle = isServerClosing && (exchanges.get(socket)?.size ?? 0) === 0;
    // What is still in the socket's buffer goes out first.
    if (isIdle || (closing.has(socket) && !owesAnswer(socket))) socket.destroySoon();
  };
  const finish = ({ request, socket }: Exchange): void => {
    exchanges.get(socket)?.delete(request);
    // Our end of the connection is closed already: the answer said so.
    if (socket.writableEnded) socket.destroySoon();
    else closeIfDone(socket);
  };
  const onAnswered = (exchange: Exchange): void => {
    const { request, socket } = exchange;
    if (request.complete || socket.destroyed) {
      finish(exchange);
      return;
    }
    // What is dropped is counted and timed anew.
    exchange.droppedUntilMs ??= Number.POSITIVE_INFINITY;
    exchange.startedAtMs = performance.now();
    exchange.bytesBefore = socket.bytesRead;
    request.once('close', () => finish(exchange));
    dropRest(request);
    closeIfDone(socket);
  };
  const look = (): void => {
    const nowMs = performance.now();
    const arriving = [...exchanges.values()].flatMap((all) => [...all.values()].filter(isArriving));
    const { late, overdue, overmuch } = findLate(arriving, limits, nowMs);
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
        exchanges.set(socket, new Map());
        socket.once('close', () => exchanges.delete(socket));
        lingerWhile(socket, () => of(socket).some(isArriving));
      });
      server.on('request', (request, response) => {
        const exchange = begin(request, response);
        exchanges.get(request.socket)?.set(request, exchange);
        response.once('close', () => onAnswered(exchange));
      });
      server.closeIdleConnections = () => {
        isServerClosing = true;
        for (const socket of exchanges.keys()) {
          // So that a client or a proxy does not send its next request here. An answer that says so is the connection's last.
          const last = of(socket).at(-1);
          if (last !== undefined) last.response.shouldKeepAlive = false;
          closeIfDone(socket);
        }
      };
    },
    owesAnswer,
    closeWhenAnswered: (socket) => {
      closing.add(socket);
      closeIfDone(socket);
    },
    expectFile: (request) => {
      const exchange = exchanges.get(request.socket)?.get(request);
      if (exchange !== undefined) exchange.isFile = true;
    },
  };
}

function begin(request: IncomingMessage, response: ServerResponse): Exchange {
  const { socket } = request;
  return {
    request,
    response,
    socket,
    startedAtMs: performance.now(),
    bytesBefore: socket.bytesRead,
    isFile: false,
    droppedUntilMs: undefined,
  };
}

function isArriving({ request }: Exchange): boolean {
  return !request.complete;
}

/** Has node's `destroySoon` close only our end while a body arrives: the answer stays readable, and the rest is dropped. */
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

/** Refuses a request whose body is still being read: its reader is told, and the error travels as any other. */
function refuse(exchange: Exchange, error: AppError, nowMs: number): void {
  const { request, response, socket } = exchange;
  if (response.headersSent) {
    socket.destroy();
    return;
  }
  // Nobody reads yet: whoever keeps the request waiting has a limit of their own.
  if (request.listenerCount('error') === 0) return;
  exchange.droppedUntilMs = nowMs + lingerMs;
  response.shouldKeepAlive = false;
  request.emit('error', error);
}
