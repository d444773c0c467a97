/** Receives mail by SMTP (RFC 5321): takes what its keeper makes durable, for addresses that its keeper knows. */
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { type ByteBudget, byteBudget, readWithin } from './incoming-bytes.ts';
import { takeQuotedPaths } from './smtp-quoted-paths.ts';

/** A mail with what SMTP said of it; `from` is empty for `<>`. */
export type IncomingMail = { from: string; to: string[]; client: SmtpClient; bytes: Buffer };

/** The client that handed a mail over: its IP address, and its name in HELO or EHLO, empty for none. */
export type SmtpClient = { address: string; helo: string };

export type MailKeeper = {
  /** Whether there is such a mailbox here. When it throws, the client is told to come again. */
  isKnown(address: string): Promise<boolean>;
  /** Whether the mailbox is full for now; left out, none ever is. When it throws, the client is told to try again later. */
  isFull?(address: string): Promise<boolean>;
  /** Settles once the mail is durable: only then the client is told so. When it throws, the client is told to come again. */
  keep(mail: IncomingMail): Promise<void>;
};

export type SmtpListenerOptions = {
  host: string;
  port: number;
  /** By which the server greets. */
  name: string;
  /** PEM files for STARTTLS. */
  tls: { certPath: string; keyPath: string };
  keeper: MailKeeper;
  /** The address under which a client's connections are counted; left out, its own. */
  sourceOf?: (remoteAddress: string) => string;
  log: Record<'warn' | 'debug', (fields: object, message: string) => void>;
  limits?: Partial<SmtpLimits>;
};

type SmtpLimits = {
  mailBytesMax: number;
  /** Of all mails that are coming in or being stored; about twice as much memory is held. */
  underWayBytesMax: number;
  clientsMax: number;
  /** Raise it behind a proxy, where all clients share one address. */
  clientsOfAddressMax: number;
  recipientsMax: number;
  /** Who asks for more mailboxes that are not here is guessing. */
  refusedMax: number;
  /** RFC 5321 §4.5.3.2.7 would have five minutes; but who is silent for two has mostly gone. */
  silentSecondsMax: number;
  /** Until the first MAIL command: a client that has a mail sends it at once. */
  firstMailSecondsMax: number;
  /** However busy it is, so that nobody keeps a place by a byte now and then. */
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

/** RFC 5321 §6.3. */
const hopsMax = 100;
/** A hundred Received fields take some 50 KB. */
const headerBytesMax = 262_144;
const certificateSeconds = 3_600;

export type SmtpListener = {
  port: number;
  /** Takes no more mails, ends those that are coming in, and tells everybody else to come again. */
  close(): Promise<void>;
};

/** Rejects with node's own error when the port is not to be had or a file of the certificate cannot be read. */
export async function openSmtpListener(options: SmtpListenerOptions): Promise<SmtpListener> {
  const limits = { ...limitsDefault, ...options.limits };
  const house: House = { ...options, limits, budget: byteBudget(limits.underWayBytesMax), sessions: new Map() };
  let isClosing = false;
  const server: SMTPServer = new SMTPServer({
    ...settingsOf(house),
    ...(await readCertificate(options)),
    onConnect: (session, done) => {
      for (const connection of server.connections) if (connection.session === session) takeQuotedPaths(connection);
      done(begin(house, server, session));
    },
    onClose: (session) => {
      const state = house.sessions.get(session);
      clearTimeout(state?.deadline);
      clearTimeout(state?.firstMail);
      house.sessions.delete(session);
    },
    onMailFrom: ({ args }, session, done) => {
      clearTimeout(house.sessions.get(session)?.firstMail);
      const declared = args === false ? 0 : Number(args.SIZE ?? 0) || 0;
      done(house.budget.isOver(declared) ? tooMuch() : null);
    },
    onRcptTo: ({ address }, session, done) => {
      void judgeRecipient(house, address, session).then(done);
    },
    onData: (stream, session, done) => {
      void receive(house, stream, session).then((refused) => {
        done(refused);
        if (isClosing) hangUp(server, session, 'Closing for now');
      });
    },
  });
  // What breaks on the way is the client's to repeat; most of it is made by those who only scan for open ports.
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
          if (house.sessions.get(session)?.isReceiving !== true) hangUp(server, session, 'Closing for now');
      }),
  };
}

/** What the sessions share. */
type House = Pick<SmtpListenerOptions, 'name' | 'keeper' | 'sourceOf' | 'log'> & {
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
};

function settingsOf({ name, limits }: House): SMTPServerOptions {
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
  // It listens on TCP.
  return (server.server.address() as AddressInfo).port;
}

async function readCertificate({ tls }: Pick<SmtpListenerOptions, 'tls'>) {
  return { cert: await readFile(tls.certPath), key: await readFile(tls.keyPath) };
}

/** Certificates are renewed every few weeks, by others. */
async function renewCertificate(server: SMTPServer, { tls, log }: SmtpListenerOptions): Promise<void> {
  try {
    server.updateSecureContext(await readCertificate({ tls }));
  } catch (err) {
    log.warn({ err }, 'the certificate of SMTP_LISTEN could not be read again: the one before stays');
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

function begin(house: House, server: SMTPServer, session: SMTPServerSession): SmtpRefusal | null {
  const { limits, sessions, sourceOf = (address) => address } = house;
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
  });
  return null;
}

/** @returns why a recipient is refused */
async function judgeRecipient(
  { keeper, limits, log, sessions }: House,
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

/** @returns why the mail is refused; null when it is durable */
async function receive(
  { keeper, budget, log, sessions }: House,
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
    await keeper.keep({ from: mailFrom === false ? '' : mailFrom.address, to, client, bytes });
    return null;
  };
  try {
    const outcome = await readWithin(stream, { budget, isTooLarge: () => stream.sizeExceeded }, keep);
    if (outcome === 'too-large') return refusal(552, 'The mail is too large');
    return outcome === 'over-budget' ? tooMuch() : outcome;
  } catch (err) {
    if (isLost(err)) return refusal(451, 'The connection was lost');
    log.warn({ err }, 'a mail could not be stored: the client was told to come again');
    return refusal(451, 'Cannot store the mail for now: try again later');
  } finally {
    if (state !== undefined) state.isReceiving = false;
  }
}

const heloCharsMax = 255;

function heloOf({ hostNameAppearsAs }: SMTPServerSession): string {
  const helo = typeof hostNameAppearsAs === 'string' ? hostNameAppearsAs : '';
  // Unprintable characters are in no host name, and PostgreSQL keeps no U+0000.
  return /^[\x21-\x7e]+$/.test(helo) ? helo.slice(0, heloCharsMax) : '';
}

/** A client that goes away in the middle of a mail is no fault of ours. */
function isLost(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ECONNECTION' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** How many servers a mail has passed: each writes a Received field. */
function hopsOf(bytes: Buffer): number {
  const end = bytes.subarray(0, headerBytesMax).indexOf('\r\n\r\n');
  const header = bytes.subarray(0, end === -1 ? headerBytesMax : end).toString('latin1');
  return header.match(/^received:/gim)?.length ?? 0;
}
