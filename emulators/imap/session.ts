/** One connection of an IMAP client. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { append, copy, expunge, move, store } from './changes.ts';
import { type Command, type CommandReader, makeCommandReader } from './command.ts';
import { fetchMails } from './fetch.ts';
import { create, list, remove, rename, select, status } from './folders.ts';
import type { ImapFolder } from './mailbox.ts';
import type { ImapFault } from './quirks.ts';
import { searchMails } from './search.ts';
import { authenticate, login } from './sign-in.ts';
import { type ImapSession, type ImapWorld, Refusal, tellChanges } from './world.ts';

const literalBytesMax = 64 * 1024 * 1024;

const usualCapabilities = [
  'IMAP4rev1',
  'LITERAL+',
  'SASL-IR',
  'ID',
  'IDLE',
  'NAMESPACE',
  'ENABLE',
  'UNSELECT',
  'UIDPLUS',
  'MOVE',
  'SPECIAL-USE',
  'CONDSTORE',
  'OBJECTID',
  `APPENDLIMIT=${literalBytesMax}`,
];

function capabilities({ world, isEncrypted }: ImapSession): string {
  const signIn = isEncrypted ? ['AUTH=PLAIN', 'AUTH=XOAUTH2'] : ['STARTTLS', 'LOGINDISABLED'];
  const { hiddenCapabilities, extraCapabilities } = world.quirks;
  const all = [...usualCapabilities, ...signIn, ...extraCapabilities];
  return all.filter((name) => !hiddenCapabilities.includes(name)).join(' ');
}

/** Commands that a handler of their own serves: they take answers or another socket. */
type Handler = (session: ImapSession, args: Command['args'], byUid: boolean) => string;

const handlers: Record<string, Handler> = {
  CAPABILITY: (session) => {
    session.write(`* CAPABILITY ${capabilities(session)}\r\n`);
    return 'OK CAPABILITY completed';
  },
  ID: (session) => {
    session.gaveId = true;
    session.write('* ID ("name" "Kontor emulator" "vendor" "Kontor")\r\n');
    return 'OK ID completed';
  },
  NAMESPACE: (session) => {
    session.write(`* NAMESPACE (("" "${session.world.delimiter}")) NIL NIL\r\n`);
    return 'OK NAMESPACE completed';
  },
  ENABLE: (session, args) => {
    const isAsked = args.some((name) => String(name).toUpperCase() === 'CONDSTORE');
    if (isAsked) session.usesCondstore = true;
    session.write(`* ENABLED${isAsked ? ' CONDSTORE' : ''}\r\n`);
    return 'OK ENABLE completed';
  },
  NOOP: () => 'OK NOOP completed',
  CHECK: () => 'OK CHECK completed',
  LOGIN: login,
  LIST: (session, args) => list(session, args, 'LIST'),
  LSUB: (session, args) => list(session, args, 'LSUB'),
  STATUS: status,
  SELECT: (session, args) => select(session, args, 'SELECT'),
  EXAMINE: (session, args) => select(session, args, 'EXAMINE'),
  CLOSE: (session) => {
    if (!session.isReadOnly) expunge(session, [], false);
    session.folder = null;
    return 'OK CLOSE completed';
  },
  UNSELECT: (session) => {
    session.folder = null;
    return 'OK UNSELECT completed';
  },
  CREATE: create,
  DELETE: remove,
  RENAME: rename,
  SUBSCRIBE: () => 'OK SUBSCRIBE completed',
  UNSUBSCRIBE: () => 'OK UNSUBSCRIBE completed',
  APPEND: append,
  FETCH: fetchMails,
  SEARCH: searchMails,
  STORE: store,
  COPY: copy,
  MOVE: move,
  EXPUNGE: expunge,
};

/** Commands with sequence numbers, during which no mail may vanish (RFC 3501 §7.4.1). */
const keepsNumbers = new Set(['FETCH', 'STORE', 'SEARCH']);

export function serveImap(world: ImapWorld, socket: Socket, isEncrypted: boolean): void {
  const connection = openConnection(world, socket, isEncrypted);
  connection.session.write(`* OK [CAPABILITY ${capabilities(connection.session)}] Emulator ready\r\n`);
}

type Connection = {
  session: ImapSession;
  reader: CommandReader;
  socket: Socket;
  /** Ends IDLE; null outside of it. */
  stopIdling: (() => void) | null;
  /** A stalled connection answers nothing more. */
  isStalled: boolean;
};

function openConnection(world: ImapWorld, socket: Socket, isEncrypted: boolean): Connection {
  const session: ImapSession = {
    world,
    isEncrypted,
    account: null,
    folder: null,
    isReadOnly: true,
    gaveId: false,
    usesCondstore: false,
    known: new Map(),
    write: (text) => {
      if (connection.socket.writable) connection.socket.write(Buffer.from(text, 'latin1'));
    },
    drop: () => connection.socket.destroy(),
  };
  const reader = makeCommandReader({
    onLiteral: (tag, bytes) => {
      const isTaken = bytes <= literalBytesMax;
      session.write(isTaken ? '+ OK\r\n' : `${tag} NO [TOOBIG] The literal is too large\r\n`);
      return isTaken;
    },
    onCommand: (command) => answer(connection, command),
    onBroken: () => socket.destroy(),
  });
  const connection: Connection = { session, reader, socket, stopIdling: null, isStalled: false };
  world.sessions.add(session);
  listenTo(connection, socket);
  return connection;
}

function listenTo(connection: Connection, socket: Socket): void {
  connection.socket = socket;
  socket.setNoDelay(true);
  socket.on('data', (bytes: Buffer) => connection.reader.push(bytes));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    if (connection.socket !== socket) return;
    connection.stopIdling?.();
    connection.session.world.sessions.delete(connection.session);
  });
}

function answer(connection: Connection, { tag, name, args }: Command): void {
  const { session } = connection;
  const { world } = session;
  if (connection.isStalled) return;
  const byUid = name.startsWith('UID ');
  const verb = byUid ? name.slice(4) : name;
  world.commands.push(name);
  const fault = world.faults.take(verb);
  if (fault !== undefined && fault.kind !== 'late' && fault.kind !== 'answered-bye') {
    fail(connection, tag, fault);
    return;
  }
  const done = (text: string) => {
    if (fault?.kind === 'late') {
      session.drop();
      return;
    }
    if (byUid || !keepsNumbers.has(verb)) tellChanges(session);
    const isOver = fault?.kind === 'answered-bye';
    session.write(`${tag} ${text}\r\n${isOver ? '* BYE The server stops\r\n' : ''}`);
    if (isOver) connection.socket.end();
  };
  attempt(connection, tag, () => {
    if (verb === 'IDLE') idle(connection, () => done('OK IDLE completed'));
    else if (verb === 'STARTTLS') startTls(connection, tag);
    else if (verb === 'AUTHENTICATE') takeResponse(connection, tag, authenticate(session, args), done);
    else if (verb === 'LOGOUT') {
      session.write(`* BYE Until soon\r\n${tag} OK LOGOUT completed\r\n`);
      connection.socket.end();
    } else {
      const handler = handlers[verb];
      if (handler === undefined) throw new Refusal(`Unknown command ${verb}`, 'BAD');
      done(handler(session, args, byUid));
    }
  });
}

function attempt({ session }: Connection, tag: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    session.write(`${tag} ${error.status} ${error.message}\r\n`);
  }
}

function fail(connection: Connection, tag: string, { kind, code }: ImapFault): void {
  const { session } = connection;
  const text = `${code === undefined ? '' : `[${code}] `}The command failed by script`;
  if (kind === 'stalled') connection.isStalled = true;
  else if (kind === 'dropped') session.drop();
  else if (kind === 'bye') {
    session.write(`* BYE ${text}\r\n`);
    connection.socket.end();
  } else session.write(`${tag} ${kind.toUpperCase()} ${text}\r\n`);
}

function takeResponse(
  connection: Connection,
  tag: string,
  answered: ((line: string) => string) | string,
  done: (text: string) => void,
): void {
  if (typeof answered === 'string') done(answered);
  else {
    connection.session.write('+ \r\n');
    connection.reader.takeLine((line) => attempt(connection, tag, () => done(answered(line))));
  }
}

function idle(connection: Connection, done: () => void): void {
  const { session } = connection;
  const { account, world } = session;
  if (account === null) throw new Refusal('Sign in first', 'BAD');
  let timer: NodeJS.Timeout | undefined;
  const watcher = (folder: ImapFolder) => {
    if (folder !== session.folder) return;
    clearTimeout(timer);
    timer = setTimeout(() => tellChanges(session), world.quirks.idleDelayMs);
  };
  account.watchers.add(watcher);
  connection.stopIdling = () => {
    clearTimeout(timer);
    account.watchers.delete(watcher);
    connection.stopIdling = null;
  };
  session.write('+ idling\r\n');
  tellChanges(session);
  connection.reader.takeLine(() => {
    connection.stopIdling?.();
    done();
  });
}

function startTls(connection: Connection, tag: string): void {
  const { session, socket } = connection;
  if (session.isEncrypted) throw new Refusal('TLS is on', 'BAD');
  session.write(`${tag} OK Begin TLS\r\n`);
  socket.removeAllListeners('data');
  session.isEncrypted = true;
  listenTo(connection, new TLSSocket(socket, { isServer: true, ...session.world.certificate }));
}
