import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { generate } from 'selfsigned';
import {
  type Arrival,
  addFolder,
  addMail,
  findFolder,
  type ImapAccount,
  type ImapFolder,
  makeAccount,
  removeMails,
  renewUidValidity,
} from './imap/mailbox.ts';
import { type ImapFault, type ImapQuirks, openImapFaults, usualQuirks } from './imap/quirks.ts';
import { serveImap } from './imap/session.ts';
import { openSubmission, type Submission } from './imap/submission.ts';
import type { ImapWorld } from './imap/world.ts';
import { randomOf } from './random.ts';

/**
 * Stands in for a mail provider with IMAP and SMTP submission. It listens on this machine alone, and keeps mail in
 * memory.
 *
 * On its own: `node emulators/imap.ts [address] [password]` prints its ports.
 */
export type ImapEmulator = {
  host: string;
  ports: { imap: number; imaps: number; submission: number };
  /** The server's own authority, for clients that check certificates. */
  certificate: string;
  /** May be changed at any time. */
  quirks: ImapQuirks;
  /** Names of all IMAP commands so far. */
  commands: string[];
  /** Mails handed in for delivery. */
  submissions: Submission[];
  addAccount(address: string, password: string, tokens?: readonly string[]): ImapAccount;
  folder(address: string, path?: string): ImapFolder;
  addFolder(address: string, path: string, specialUse?: string): ImapFolder;
  /** Puts a mail into a folder, as if it arrived. @returns its UID */
  deliver(address: string, arrival: Arrival & { path?: string }): number;
  expunge(address: string, uids: readonly number[], path?: string): void;
  renewUidValidity(address: string, options?: { path?: string; uidValidity?: number; internalDate?: Date }): void;
  setFault(fault: ImapFault): void;
  clearFaults(): void;
  /** Loses all connections. */
  dropConnections(): void;
  connections(): number;
  close(): Promise<void>;
};

export type ImapEmulatorOptions = {
  ports?: Partial<ImapEmulator['ports']>;
  now?: () => Date;
  seed?: number;
  delimiter?: '/' | '.';
  /** Takes passwords without TLS at the ports that usually begin it. */
  isPlain?: boolean;
  quirks?: Partial<ImapQuirks>;
  onSubmission?: (submission: Submission) => unknown;
};

export async function openImapEmulator(options: ImapEmulatorOptions = {}): Promise<ImapEmulator> {
  const { ports = {}, now = () => new Date(), seed = 1, delimiter = '/', isPlain = false } = options;
  const { onSubmission = () => undefined } = options;
  const world: ImapWorld = {
    accounts: new Map(),
    quirks: { ...usualQuirks, ...options.quirks },
    faults: openImapFaults(randomOf(seed, 1)),
    delimiter,
    now,
    certificate: await makeCertificate(),
    sessions: new Set(),
    commands: [],
  };
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const plain = createTcpServer((socket) => serveImap(world, socket, isPlain)).on('connection', track);
  const encrypted = createTlsServer(world.certificate, (socket) => serveImap(world, socket, true));
  encrypted.on('connection', track);
  const submissions: Submission[] = [];
  const submission = await openSubmission(world, {
    port: ports.submission ?? 0,
    isPlain,
    onSubmission: (submitted) => {
      submissions.push(submitted);
      return onSubmission(submitted);
    },
  });
  return {
    host: '127.0.0.1',
    ports: {
      imap: await listen(plain, ports.imap),
      imaps: await listen(encrypted, ports.imaps),
      submission: submission.port,
    },
    certificate: world.certificate.cert,
    quirks: world.quirks,
    commands: world.commands,
    submissions,
    ...makeMailCommands(world),
    setFault: world.faults.set,
    clearFaults: world.faults.clear,
    dropConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
    connections: () => world.sessions.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all([plain, encrypted].map((server) => new Promise((resolve) => server.close(resolve))));
      await submission.close();
    },
  };
}

type MailCommands = Pick<
  ImapEmulator,
  'addAccount' | 'folder' | 'addFolder' | 'deliver' | 'expunge' | 'renewUidValidity'
>;

function makeMailCommands({ accounts, delimiter, now }: ImapWorld): MailCommands {
  const find = (address: string, path = 'INBOX') => {
    const account = accounts.get(address.toLowerCase());
    const folder = account && findFolder(account, path);
    if (account === undefined || folder === undefined) throw new Error(`No folder ${path} of ${address}`);
    return { account, folder };
  };
  return {
    addAccount: (address, password, tokens = []) => {
      const account = makeAccount(address.toLowerCase(), password, { delimiter, now });
      for (const token of tokens) account.tokens.add(token);
      accounts.set(account.address, account);
      return account;
    },
    folder: (address, path) => find(address, path).folder,
    addFolder: (address, path, specialUse) =>
      addFolder(find(address).account, path, { now, specialUse: specialUse ?? null }),
    deliver: (address, { path, ...arrival }) => {
      const { account, folder } = find(address, path);
      return addMail(account, folder, { now, ...arrival }).uid;
    },
    expunge: (address, uids, path) => {
      const { account, folder } = find(address, path);
      removeMails(account, folder, new Set(uids));
    },
    renewUidValidity: (address, { path, ...renewal } = {}) => {
      const { account, folder } = find(address, path);
      renewUidValidity(account, folder, renewal);
    },
  };
}

async function makeCertificate(): Promise<{ key: string; cert: string }> {
  const notAfterDate = new Date(Date.now() + 10 * 365 * 86_400_000);
  const extensions = [
    {
      name: 'subjectAltName' as const,
      altNames: [
        { type: 2 as const, value: 'localhost' },
        { type: 7 as const, ip: '127.0.0.1' },
      ],
    },
  ];
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    notAfterDate,
    extensions,
  });
  return { key: made.private, cert: made.cert };
}

async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  // The server listens on TCP, so its address is an object.
  return (server.address() as AddressInfo).port;
}

if (import.meta.main) {
  const [address = 'help@kontor.example', password = 'secret'] = process.argv.slice(2);
  const { ports, addAccount } = await openImapEmulator();
  addAccount(address, password);
  for (const [name, port] of Object.entries(ports)) process.stdout.write(`${name}=127.0.0.1:${port}\n`);
}
