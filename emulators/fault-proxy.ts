import { type AddressInfo, connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { makeResponseFilter, type ProxyFaults } from './fault-proxy-responses.ts';
import { type Random, randomOf } from './random.ts';

export type FaultProxy = {
  host: string;
  port: number;
  faults: ProxyFaults;
  /** The connections so far, and the connections that the proxy cut. */
  counts: { connections: number; cuts: number };
  dropConnections(): void;
  close(): Promise<void>;
};

export type FaultProxyOptions = {
  target: { host: string; port: number; isEncrypted?: boolean };
  /** Makes clients speak TLS with the proxy. */
  certificate?: { key: string; cert: string };
  port?: number;
  seed?: number;
  faults?: Partial<ProxyFaults>;
};

const noFaults: ProxyFaults = {
  cutAfterBytes: null,
  cutSentAfterBytes: null,
  stallAfterBytes: null,
  meanBytesToCut: null,
  droppedResponses: null,
  hiddenCapabilities: [],
  uidValidityShift: 0,
  isDown: false,
};

/**
 * Stands between a client and an IMAP server, and breaks their conversation. It reads the server's responses, so both
 * sides of it must be plain or end their TLS here: STARTTLS passes, but only cuts and stalls work after it.
 */
export async function openFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { target, certificate, port = 0, seed = 1 } = options;
  const faults = { ...noFaults, ...options.faults };
  const counts = { connections: 0, cuts: 0 };
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const accept = (client: Socket) => {
    track(client);
    if (faults.isDown) {
      client.destroy();
      return;
    }
    counts.connections++;
    // TLS of the emulators has certificates of their own, and the proxy is for tests.
    const server = target.isEncrypted
      ? connectTls({ host: target.host, port: target.port, rejectUnauthorized: false })
      : connectTcp(target.port, target.host);
    track(server);
    join(client, server, { faults, counts, random: randomOf(seed, counts.connections) });
  };
  const listener = certificate === undefined ? createTcpServer(accept) : createTlsServer(certificate, accept);
  listener.on('connection', track);
  await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
  const dropConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    host: '127.0.0.1',
    // The listener is on TCP, so its address is an object.
    port: (listener.address() as AddressInfo).port,
    faults,
    counts,
    dropConnections,
    close: async () => {
      dropConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

type Joining = { faults: ProxyFaults; counts: FaultProxy['counts']; random: Random };

function join(client: Socket, server: Socket, { faults, counts, random }: Joining): void {
  const cutAtRandom =
    faults.meanBytesToCut === null ? Number.POSITIVE_INFINITY : random.below(2 * faults.meanBytesToCut);
  let received = 0;
  let sent = 0;
  let isCut = false;
  /** Ends the side that got the bytes after they are out, so that it has exactly these. */
  const cut = (to: Socket, from: Socket) => {
    isCut = true;
    counts.cuts++;
    to.end(() => to.destroy());
    from.destroy();
  };
  const toClient = (bytes: Buffer) => {
    if (isCut) return;
    const cutAt = Math.min(faults.cutAfterBytes ?? Number.POSITIVE_INFINITY, cutAtRandom);
    const end = Math.min(cutAt, faults.stallAfterBytes ?? Number.POSITIVE_INFINITY);
    const part = bytes.subarray(0, Math.max(0, end - received));
    received += part.length;
    if (part.length > 0) pass(part, client, server);
    if (received >= cutAt) cut(client, server);
  };
  const filter = makeResponseFilter(faults, toClient);
  server.on('data', (bytes: Buffer) => filter(bytes));
  client.on('data', (bytes: Buffer) => {
    if (isCut) return;
    const end = faults.cutSentAfterBytes ?? Number.POSITIVE_INFINITY;
    const part = bytes.subarray(0, Math.max(0, end - sent));
    sent += part.length;
    if (part.length > 0) pass(part, server, client);
    if (sent >= end) cut(server, client);
  });
  server.on('close', () => {
    if (!isCut) client.end();
  });
  client.on('close', () => {
    if (!isCut) server.end();
  });
}

/** Writes, and holds the sender back while the receiver is behind. */
function pass(bytes: Buffer, to: Socket, from: Socket): void {
  if (!to.writable || to.write(bytes)) return;
  from.pause();
  to.once('drain', () => from.resume());
}
