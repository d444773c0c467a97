import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy before a database. While closed, the database seems to be away. */
export type DatabaseGate = {
  /** @returns the address of the database through the gate, the same each time */
  open(): Promise<string>;
  /** Cuts every connection and accepts none. */
  close(): Promise<void>;
  /** Passes no bytes in either direction but keeps every connection, like a database that hangs. */
  hold(): void;
  letGo(): void;
};

export function databaseGate(databaseUrl: () => string): DatabaseGate {
  const sockets = new Set<Socket>();
  let server = createServer();
  let port = 0;
  let isHeld = false;
  return {
    open: async () => {
      const url = new URL(databaseUrl());
      const socketFolder = url.searchParams.get('host');
      const isSocket = socketFolder?.startsWith('/') ?? false;
      const target = isSocket
        ? { path: `${socketFolder}/.s.PGSQL.${url.port}` }
        : { port: Number(url.port), host: url.hostname };
      server = createServer((inner) => {
        const outer = connect(target);
        for (const socket of [inner, outer]) {
          sockets.add(socket);
          socket.on('error', () => {}).on('close', () => sockets.delete(socket));
          if (isHeld) socket.cork();
        }
        inner.pipe(outer).pipe(inner);
      });
      await once(server.listen(port, '127.0.0.1'), 'listening');
      port = (server.address() as AddressInfo).port; // The server listens on TCP, so its address is an object.
      url.searchParams.delete('host');
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    hold: () => {
      isHeld = true;
      for (const socket of sockets) socket.cork();
    },
    letGo: () => {
      isHeld = false;
      for (const socket of sockets) socket.uncork();
    },
  };
}
