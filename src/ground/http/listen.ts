import { type AddressInfo, createServer } from 'node:net';
import { StartError } from '../lib/start-error.ts';
import type { Server } from './http.ts';

type ListenAddress = { host: string; port: number };

const explanations: Record<string, (place: ListenAddress) => string> = {
  EADDRINUSE: ({ port }) => `Port ${port} is taken by another program: stop that program, or set PORT to another port.`,
  EACCES: ({ port }) => `This user may not open port ${port}: set PORT to 1024 or above.`,
  EADDRNOTAVAIL: ({ host }) => `HOST ${host} is not an address of this machine: set HOST to one, or leave it out.`,
  ENOTFOUND: ({ host }) =>
    `HOST ${host} is neither an address nor a known name: set HOST to an address of this machine, or leave it out.`,
};

/**
 * Opens the port and returns the socket's address. `0.0.0.0` means all addresses of the machine.
 * Throws a `StartError` when the port or the address is unavailable.
 */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<string> {
  try {
    await server.listen({ host, port });
    // The server listens on TCP, so the address is never a path.
    const inUse = server.server.address() as AddressInfo;
    return `http://${inUse.family === 'IPv6' ? `[${inUse.address}]` : inUse.address}:${inUse.port}`;
  } catch (error) {
    throw explained(error, { host, port });
  }
}

/**
 * Tries the port before a start changes anything: a start that fails for its port must not migrate the database.
 * Throws a `StartError` when the port or the address is unavailable.
 */
export async function tryPort({ host, port }: ListenAddress): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
  try {
    await promise;
  } catch (error) {
    throw explained(error, { host, port });
  }
}

function explained(error: unknown, place: ListenAddress): unknown {
  const explain = explanations[(error as NodeJS.ErrnoException).code ?? ''];
  return explain === undefined ? error : new StartError(explain(place), { cause: error });
}
