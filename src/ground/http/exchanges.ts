import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request and its answer, until both are over. */
export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  socket: Socket;
  startedAtMs: number;
  /** Bytes that the connection had received before this body. */
  bytesBefore: number;
  isFile: boolean;
  /** Set once the request is refused or answered: the deadline until which the rest of its body is read and dropped. */
  droppedUntilMs: number | undefined;
};

/** The open connections of a server, and the exchanges of each, oldest first. */
export function openRegister() {
  const exchanges = new Map<Socket, Map<IncomingMessage, Exchange>>();
  const of = (socket: Socket): Exchange[] => [...(exchanges.get(socket)?.values() ?? [])];
  return {
    of,
    sockets: () => exchanges.keys(),
    arriving: () => [...exchanges.keys()].flatMap(of).filter(isArriving),
    owesAnswer: (socket: Socket): boolean =>
      of(socket).some(({ request, response }) => request.complete && !response.writableFinished),
    open: (socket: Socket): void => {
      exchanges.set(socket, new Map());
      socket.once('close', () => exchanges.delete(socket));
    },
    begin: (request: IncomingMessage, response: ServerResponse): Exchange => {
      const exchange = exchangeOf(request, response);
      exchanges.get(request.socket)?.set(request, exchange);
      return exchange;
    },
    end: ({ socket, request }: Exchange): void => {
      exchanges.get(socket)?.delete(request);
    },
  };
}

function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
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

export function isArriving({ request }: Exchange): boolean {
  return !request.complete;
}
