import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Which connections owe an answer, by our own books. */
export type Connections = {
  watch(server: HttpServer): void;
  /** Whether a request that has arrived whole on this connection is still to be answered. */
  owesAnswer(socket: Socket): boolean;
  /** Closes the connection once what arrived whole on it is answered, and takes no more from it. */
  closeWhenAnswered(socket: Socket): void;
};

/**
 * Node's own `closeIdleConnections`, which `close` calls too, counts an answer as sent once its end was written into the
 * buffer, and cuts it off where the reader is slower; and it spares a connection on which no request was ever begun.
 * Here, from when the server begins to close, a connection is closed as soon as no request is under way on it and what was
 * written has left: at once where nothing was asked. How long a slow reader may take is the caller's affair.
 */
export function openConnections(): Connections {
  const unanswered = new Map<Socket, Set<IncomingMessage>>();
  const closing = new WeakSet<Socket>();
  let isServerClosing = false;

  const owesAnswer = (socket: Socket): boolean =>
    [...(unanswered.get(socket) ?? [])].some((request) => request.complete);
  const closeIfDone = (socket: Socket): void => {
    const isIdle = isServerClosing && (unanswered.get(socket)?.size ?? 0) === 0;
    // What is still in the socket's buffer goes out first.
    if (isIdle || (closing.has(socket) && !owesAnswer(socket))) socket.destroySoon();
  };

  return {
    watch: (server) => {
      server.on('connection', (socket: Socket) => {
        unanswered.set(socket, new Set());
        socket.once('close', () => unanswered.delete(socket));
      });
      server.on('request', (request, response) => {
        const { socket } = request;
        unanswered.get(socket)?.add(request);
        response.once('close', () => {
          unanswered.get(socket)?.delete(request);
          closeIfDone(socket);
        });
      });
      server.closeIdleConnections = () => {
        isServerClosing = true;
        for (const socket of unanswered.keys()) closeIfDone(socket);
      };
    },
    owesAnswer,
    closeWhenAnswered: (socket) => {
      closing.add(socket);
      closeIfDone(socket);
    },
  };
}
