/** Connections to IMAP servers. */
import { isIP } from 'node:net';
import type { FetchMessageObject, ImapFlow } from 'imapflow';
import { isLoopback } from '../../../ground/lib/networks.ts';
import { traced } from '../../../ground/lib/traced.ts';
import type { ServerEnd, ServerLogin } from '../../provider.ts';
import { ProviderFault } from '../../provider-fault.ts';
import { aborted, faultOf, mailBytesMax, withoutSecret } from './faults.ts';

/** The checked addresses of a host. Throws if we must not connect to it. */
export type ReachHost = (host: string) => Promise<readonly string[]>;

/** Runs one piece of work at a time on one connection. */
export type ImapSession = {
  use<Result>(work: (client: ImapFlow) => Promise<Result>): Promise<Result>;
};

/** The numbers of a million mails take 8 MB. */
const lineBytesMax = 16 * 1024 * 1024;
const idleMs = 2_000;
const connectMs = 20_000;
const silenceMs = 60_000;
const signInMsMax = 60_000;
/** No work asks for more than the largest mail and a few long lines. */
const workBytesMax = mailBytesMax + 4 * lineBytesMax;
/** The largest mail takes this long at 1 Mbit/s. */
const workMsMax = 600_000;
const lookMs = 250;

/**
 * Opens a connection when work begins, and closes it a moment after the last work. Providers allow few connections for
 * each mailbox.
 */
export function openSession({
  login,
  reach,
  signal,
}: {
  login: () => Promise<ServerLogin>;
  reach: ReachHost;
  signal?: AbortSignal | undefined;
}): ImapSession {
  let open: ImapFlow | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  const close = () => {
    open?.close();
    open = undefined;
  };
  signal?.addEventListener('abort', close, { once: true });
  const run = async <Result>(work: (client: ImapFlow) => Promise<Result>): Promise<Result> => {
    if (signal?.aborted) throw aborted();
    if (open?.usable !== true) open = await connect(await login(), reach);
    const client = open;
    try {
      return await bounded(client, () => work(client));
    } catch (error) {
      // A broken connection says less than what broke it.
      throw signal?.aborted ? aborted() : faultOf(breakages.get(client) ?? error);
    }
  };
  return {
    use: (work) => {
      clearTimeout(timer);
      waiting++;
      const result = turn
        .then(() => traced({ kind: 'call', peer: 'IMAP', operation: 'session' }, () => run(work)))
        .finally(() => {
          waiting--;
          if (waiting === 0) timer = setTimeout(close, idleMs).unref();
        });
      turn = result.catch(() => undefined);
      return result;
    },
  };
}

/** What broke a connection. */
const breakages = new WeakMap<ImapFlow, unknown>();

/** @param quiet how long the server may say nothing, how long one IDLE lasts, and how long the sign-in may take */
export async function connect(
  { imap, username, secret }: ServerLogin,
  reach: ReachHost,
  quiet: { silenceMs: number; idleMs?: number; signInMs?: number } = { silenceMs },
): Promise<ImapFlow> {
  const address = await addressOf(imap, reach);
  // Loads with the first connection, so that every process starts sooner.
  const imapflow = await import('imapflow');
  const client = new imapflow.ImapFlow({
    ...address,
    port: imap.port,
    secure: imap.security === 'tls',
    doSTARTTLS: imap.security === 'starttls',
    auth: { user: username, ...('password' in secret ? { pass: secret.password } : secret) },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: quiet.silenceMs,
    ...(quiet.idleMs !== undefined && { maxIdleTime: quiet.idleMs }),
    maxLiteralSize: mailBytesMax,
    maxLineLength: lineBytesMax,
    maxResponseSize: mailBytesMax + lineBytesMax,
  });
  // Without a listener, an error between two commands would end the process. The next command fails by itself.
  client.on('error', (error: unknown) => breakages.set(client, error));
  try {
    await bounded(client, () => client.connect(), { msMax: quiet.signInMs ?? signInMsMax });
    return client;
  } catch (error) {
    client.close();
    throw faultOf(withoutSecret(error, { username, secret }));
  }
}

/** Closes the connection if the server sends too much, or for too long: a server that keeps talking is not silent. */
export async function bounded<Result>(
  client: ImapFlow,
  work: () => Promise<Result>,
  { bytesMax = workBytesMax, msMax = workMsMax }: { bytesMax?: number; msMax?: number } = {},
): Promise<Result> {
  const startedAt = performance.now();
  const received = client.stats().received;
  let endless: ProviderFault | undefined;
  const timer = setInterval(() => {
    if (client.stats().received - received <= bytesMax && performance.now() - startedAt <= msMax) return;
    endless = new ProviderFault('unavailable', 'endless', 'The IMAP server answers without an end.');
    breakages.set(client, endless);
    client.close();
  }, lookMs);
  try {
    return await work();
  } catch (error) {
    throw endless ?? error;
  } finally {
    clearInterval(timer);
  }
}

/** The first checked address, so that a name server cannot switch to another one meanwhile. */
export async function addressOf(
  { host, security }: ServerEnd,
  reach: ReachHost,
): Promise<{ host: string; servername?: string }> {
  const addresses = await reach(host).catch((cause: unknown) => {
    throw new ProviderFault('unavailable', 'unreachable', `${host}: ${sentenceOf(cause)}`, { cause });
  });
  const [first] = addresses;
  if (first === undefined) throw new ProviderFault('unavailable', 'unreachable', `${host} has no address.`);
  if (security === 'none' && !addresses.every(isLoopback)) {
    const sentence = `${host} must be reached with TLS: without it, anybody on the way could read the password.`;
    throw new ProviderFault('refused', 'tls', sentence);
  }
  return isIP(host) === 0 ? { host: first, servername: host } : { host: first };
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The name could not be looked up.';
}

/**
 * Opens a folder so that nothing in it changes (EXAMINE), and tells its present state. NOOP of imapflow would hide why
 * it failed.
 */
export async function examine(client: ImapFlow, path: string): Promise<FolderState> {
  const opened = await client.mailboxOpen(path, { readOnly: true }).catch((error: unknown) => {
    if (!(error instanceof Error && 'mailboxMissing' in error)) throw error;
    const sentence = `The folder ${path} is gone from the server: create it there, or connect the mailbox again.`;
    throw new ProviderFault('misconfigured', 'no_folder', sentence, { cause: error });
  });
  assertDone(client, opened, () => new ProviderFault('unavailable', 'select', 'The IMAP server opens no folder.'));
  const { uidValidity, uidNext, exists, highestModseq, noModseq } = opened;
  const hasModseq = client.capabilities.has('CONDSTORE') || client.capabilities.has('QRESYNC');
  // Yahoo names a HIGHESTMODSEQ without CONDSTORE, others name 0: neither tells of changes.
  const isCounted = hasModseq && noModseq !== true && (highestModseq ?? 0n) > 0n;
  return {
    uidValidity: String(uidValidity),
    uidNext: uidNext ?? 0,
    exists,
    modseq: isCounted ? String(highestModseq) : null,
  };
}

/** `modseq` rises with each change of the folder (RFC 7162); null where that is not certain. */
export type FolderState = { uidValidity: string; uidNext: number; exists: number; modseq: string | null };

/** Opens a folder unless it is open already. */
export async function opened(client: ImapFlow, path: string): Promise<{ uidValidity: string }> {
  const { mailbox } = client;
  if (mailbox === false || mailbox.path !== path || mailbox.readOnly !== true) return examine(client, path);
  return { uidValidity: String(mailbox.uidValidity) };
}

/** Numbers in ascending order. A server answers `n:*` with the last mail when `n` is past it. */
export async function searchUids(
  client: ImapFlow,
  query: Parameters<ImapFlow['search']>[0],
  from = 1,
): Promise<number[]> {
  const uids = await client.search(query, { uid: true });
  assertDone(client, uids, () => new ProviderFault('unavailable', 'search', 'The IMAP server refused a search.'));
  return (uids || []).filter((uid) => uid >= from).toSorted((one, other) => one - other);
}

/**
 * Throws unless a command was carried out. imapflow answers false or undefined if the server refused the command, and
 * also if the server has just ended the connection with BYE.
 */
export function assertDone(client: ImapFlow, answer: unknown, refusal: () => ProviderFault): void {
  if (answer !== false && answer !== undefined) return;
  const isOver = client.state === client.states.LOGOUT;
  throw isOver
    ? new ProviderFault('unavailable', 'unreachable', 'The IMAP server has ended the connection.')
    : refusal();
}

export type { FetchMessageObject };
