/** Receives mail by SMTP (RFC 5321). The keeper decides which addresses exist, and makes each mail durable. */
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { type ByteBudget, byteBudget, readWithin } from './incoming-bytes.ts';
import { beforeCommands, takeQuotedPaths } from './smtp-connection.ts';

/** A mail with its SMTP envelope. `from` is empty for `<>`. */
export type IncomingMail = { from: string; to: string[]; client: SmtpClient; bytes: Buffer };

/** The client of the SMTP session: its IP address, and its name in HELO or EHLO. The name is empty if unusable. */
export type SmtpClient = { address: string; helo: string };

export type MailKeeper = {
  /** Whether this mailbox exists. If it throws, the client is told to try again later. */
  isKnown(address: string): Promise<boolean>;
  /**
   * Whether the mailbox is full for now. Without it, no mailbox is full. If it throws, the client is told to retry
   * later.
   */
  isFull?(address: string): Promise<boolean>;
  /**
   * Resolves once the mail is durable: only then the client gets a 250. If it throws, the client is told to retry
   * later.
   * @returns what to do once the client goes on, which shows that it has read the 250
   */
  keep(mail: IncomingMail): Promise<(() => Promise<void>) | undefined>;
};

export type SmtpListenerOptions = {
  host: string;
  port: number;
  /** The host name in the server's greeting. */
  name: string;
  /** PEM files for STARTTLS. */
  tls: { certPath: string; keyPath: string };
  keeper: MailKeeper;
  /** The address that counts against `clientsOfAddressMax`. By default, the client's own address. */
  sourceOf?: (remoteAddress: string) => string;
  log: Record<'warn' | 'debug', (fields: object, message: string) => void>;
  limits?: Partial<SmtpLimits>;
};

type SmtpLimits = {
  mailBytesMax: number;
  /** Bytes of all mails that arrive or are being stored. They need about twice as much memory. */
  underWayBytesMax: number;
  clientsMax: number;
  /** Raise this limit behind a proxy, where all clients share one address. */
  clientsOfAddressMax: number;
  recipientsMax: number;
  /** A client that asks for more unknown mailboxes than this is guessing. */
  refusedMax: number;
  /** RFC 5321 §4.5.3.2.7 asks for five minutes, but a client that is silent for two is usually gone. */
  silentSecondsMax: number;
  /** The time until the first MAIL command. A client with a mail sends that command at once. */
  firstMailSecondsMax: number;
  /** Ends even a busy session, so that no client keeps its connection by sending a byte now and then. */
  sessionSecondsMax: number;
  closeSecondsMax: number;
};

const limitsDefault: SmtpLimits = {
  mailBytesMax: 40 * 1024 * 1024,
  underWayBytesMax: 80 * 1024 * 1024,
  clientsMax: 200,
  clientsOfAddressMax: 10,
  recipientsMax: 100,
  refusedMax: 20,
  silentSecondsMax: 120,
  firstMailSecondsMax: 30,
  sessionSecondsMax: 30 * 60,
  closeSecondsMax: 8,
};

/** RFC 5321 §6.3 asks servers to detect loops with at least 100 Received fields. */
const hopsMax = 100;
/** A hundred Received fields take some 50 KB. */
const headerBytesMax = 262_144;
const certificateSeconds = 3_600;

export type SmtpListener = {
  port: number;
  /** Accepts no new mail, finishes the mails in progress, and tells all other clients to try again later. */
  close(): Promise<void>;
};

/** Rejects with Node's own error when the port is not available or a certificate file is unreadable. */
export async function openSmtpListener(options: SmtpListenerOptions): Promise<SmtpListener> {
  const limits = { ...limitsDefault, ...options.limits };
  const context: Context = { ...options, limits, budget: byteBudget(limits.underWayBytesMax), sessions: new Map() };
  let isClosing = false;
  const server: SMTPServer = new SMTPServer({
    ...settingsOf(context),
    ...(await readCertificate(options)),
    onConnect: (session, done) => {
      for (const connection of server.connections)
        if (connection.session === session) {
          takeQuotedPaths(connection);
          beforeCommands(connection, () => acknowledge(context, session));
        }
      done(begin(context, server, session));
    },
    onClose: (session) => {
      const state = context.sessions.get(session);
      clearTimeout(state?.deadline);
      clearTimeout(state?.firstMail);
      context.sessions.delete(session);
    },
    onMailFrom: ({ args }, session, done) => {
      clearTimeout(context.sessions.get(session)?.firstMail);
      const declared = args === false ? 0 : Number(args.SIZE ?? 0) || 0;
      done(context.budget.isOver(declared) ? tooMuch() : null);
    },
    onRcptTo: ({ address }, session, done) => {
      void judgeRecipient(context, address, session).then(done);
    },
    onData: (stream, session, done) => {
      void receive(context, stream, session).then((refused) => {
        done(refused);
        if (isClosing) hangUp(server, session, 'Closing for now');
      });
    },
  });
  // The client repeats a mail whose connection broke. Most of these errors come from port scanners.
  server.on('error', ({ message }: Error) => options.log.debug({ reason: message }, 'an SMTP connection broke'));
  const port = await listen(server, options);
  const renewal = setInterval(() => void renewCertificate(server, options), certificateSeconds * 1_000).unref();
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        clearInterval(renewal);
        isClosing = true;
        server.close(() => resolve());
        for (const { session } of [...server.connections])
          if (context.sessions.get(session)?.isReceiving !== true) hangUp(server, session, 'Closing for now');
      }),
  };
}

/** The state that all sessions share. */
type Context = Pick<SmtpListenerOptions, 'name' | 'keeper' | 'sourceOf' | 'log'> & {
  limits: SmtpLimits;
  budget: ByteBudget;
  sessions: Map<SMTPServerSession, SessionState>;
};

type SessionState = {
  source: string;
  deadline: NodeJS.Timeout;
  firstMail: NodeJS.Timeout;
  refused: number;
  isReceiving: boolean;
  /** What to do once the client shows that it has read our last 250. */
  whenRead: (() => Promise<void>) | undefined;
};

function settingsOf({ name, limits }: Context): SMTPServerOptions {
  return {
    name,
    heloResponse: '%s',
    minVersion: 'TLSv1.2',
    disabledCommands: ['AUTH', 'WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD'],
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    size: limits.mailBytesMax,
    rejectOversized: true,
    maxClients: limits.clientsMax,
    maxRecipients: limits.recipientsMax,
    socketTimeout: limits.silentSecondsMax * 1_000,
    closeTimeout: limits.closeSecondsMax * 1_000,
    logger: false,
  };
}

async function listen(server: SMTPServer, { host, port }: SmtpListenerOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, host, () => {
      server.server.off('error', reject);
      resolve();
    });
  });
  // The server listens on TCP, so its address is an AddressInfo.
  return (server.server.address() as AddressInfo).port;
}

async function readCertificate({ tls }: Pick<SmtpListenerOptions, 'tls'>) {
  return { cert: await readFile(tls.certPath), key: await readFile(tls.keyPath) };
}

/** Reads the certificate again, because an outside program renews it every few weeks. */
async function renewCertificate(server: SMTPServer, { tls, log }: SmtpListenerOptions): Promise<void> {
  try {
    server.updateSecureContext(await readCertificate({ tls }));
  } catch (err) {
    log.warn({ err }, 'the certificate of SMTP_LISTEN could not be read again: the previous certificate stays in use');
  }
}

type SmtpRefusal = Error & { responseCode: number };

function refusal(responseCode: number, message: string): SmtpRefusal {
  return Object.assign(new Error(message), { responseCode });
}

const tooMuch = () => refusal(452, 'Too much is coming in: try again later');

function hangUp(server: SMTPServer, session: SMTPServerSession, why: string): void {
  for (const connection of server.connections) if (connection.session === session) connection.send(421, why);
}

function begin(context: Context, server: SMTPServer, session: SMTPServerSession): SmtpRefusal | null {
  const { limits, sessions, sourceOf = (address) => address } = context;
  const source = sourceOf(session.remoteAddress);
  const alike = [...sessions.values()].filter((other) => other.source === source);
  if (alike.length >= limits.clientsOfAddressMax) return refusal(421, 'Too many connections from your address');
  const endAfter = (seconds: number, why: string) =>
    setTimeout(() => hangUp(server, session, why), seconds * 1_000).unref();
  sessions.set(session, {
    source,
    deadline: endAfter(limits.sessionSecondsMax, 'The session takes too long'),
    firstMail: endAfter(limits.firstMailSecondsMax, 'No mail was begun in time'),
    refused: 0,
    isReceiving: false,
    whenRead: undefined,
  });
  return null;
}

/** A client that sends another command, such as QUIT, has read the answer to its mail. */
function acknowledge({ sessions, log }: Context, session: SMTPServerSession): Promise<void> | undefined {
  const state = sessions.get(session);
  const whenRead = state?.whenRead;
  if (state === undefined || whenRead === undefined) return undefined;
  state.whenRead = undefined;
  return whenRead().catch((err: unknown) => log.warn({ err }, 'it could not be noted that a client read our answer'));
}

/** @returns why the recipient is refused, or null for an accepted recipient */
async function judgeRecipient(
  { keeper, limits, log, sessions }: Context,
  address: string,
  session: SMTPServerSession,
): Promise<SmtpRefusal | null> {
  try {
    if (await keeper.isKnown(address)) {
      return (await keeper.isFull?.(address)) ? refusal(452, 'The mailbox is full: try again later') : null;
    }
  } catch (err) {
    log.warn({ err }, 'a recipient could not be looked up: the client was told to try again later');
    return refusal(451, 'Cannot tell for now: try again later');
  }
  const state = sessions.get(session);
  if (state !== undefined && ++state.refused > limits.refusedMax) return refusal(421, 'Too many unknown mailboxes');
  return refusal(550, 'No such mailbox here');
}

/** @returns why the mail is refused, or null once the mail is durable */
async function receive(
  { keeper, budget, log, sessions }: Context,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
): Promise<SmtpRefusal | null> {
  const { mailFrom, rcptTo } = session.envelope;
  const state = sessions.get(session);
  if (state !== undefined) state.isReceiving = true;
  const keep = async (bytes: Buffer) => {
    if (hopsOf(bytes) > hopsMax) return refusal(554, 'The mail goes in circles: it has passed too many servers');
    const to = rcptTo.map(({ address }) => address);
    const client = { address: session.remoteAddress, helo: heloOf(session) };
    const kept = await keeper.keep({ from: mailFrom === false ? '' : mailFrom.address, to, client, bytes });
    if (state !== undefined) state.whenRead = kept;
    return null;
  };
  try {
    const outcome = await readWithin(stream, { budget, isTooLarge: () => stream.sizeExceeded }, keep);
    if (outcome === 'too-large') return refusal(552, 'The mail is too large');
    return outcome === 'over-budget' ? tooMuch() : outcome;
  } catch (err) {
    if (isLost(err)) return refusal(451, 'The connection was lost');
    log.warn({ err }, 'a mail could not be stored: the client was told to try again later');
    return refusal(451, 'Cannot store the mail for now: try again later');
  } finally {
    if (state !== undefined) state.isReceiving = false;
  }
}

const heloCharsMax = 255;

function heloOf({ hostNameAppearsAs }: SMTPServerSession): string {
  const helo = typeof hostNameAppearsAs === 'string' ? hostNameAppearsAs : '';
  // No host name has unprintable characters, and PostgreSQL cannot store U+0000.
  return /^[\x21-\x7e]+$/.test(helo) ? helo.slice(0, heloCharsMax) : '';
}

/** Whether the client disconnected in the middle of a mail, which needs no warning. */
function isLost(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ECONNECTION' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Counts the servers that a mail has passed. Each server adds a Received field. */
function hopsOf(bytes: Buffer): number {
  const end = bytes.subarray(0, headerBytesMax).indexOf('\r\n\r\n');
  const header = bytes.subarray(0, end === -1 ? headerBytesMax : end).toString('latin1');
  return header.match(/^received:/gim)?.length ?? 0;
}
