/** Hears of new mail over a connection that stays open (IDLE, RFC 2177). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImapFlow } from 'imapflow';
import type { ServerAccess } from '../../provider.ts';
import { noIdle, ProviderFault } from '../../provider-fault.ts';
import { bounded, connect, examine, type ReachHost } from './connection.ts';
import { faultOf } from './faults.ts';

export type Patience = {
  /** After such a silence the connection is tried with NOOP. After another, it is given up. */
  silenceMs: number;
  /** Servers may drop a client after 30 minutes, so each IDLE is shorter, even if the server talks. */
  idleMs: number;
};

export const usualPatience: Patience = { silenceMs: 150_000, idleMs: 1_200_000 };
/** Some servers end each IDLE at once. */
const pauseMs = 1_000;
/** Tens of thousands of changes during one IDLE. */
const idleBytesMax = 4 * 1024 * 1024;

type Listening = { reach: ReachHost; patience: Patience; onOpen: () => void; onNews: () => void };

/** Listens to the first folder that receives mail. */
export async function listenTo(
  { server, signal }: ServerAccess,
  { reach, patience, onOpen, onNews }: Listening,
): Promise<void> {
  const login = await server();
  const path = login.inboxPaths.find((each) => each !== '') ?? 'INBOX';
  const client = await connect(login, reach, patience);
  const close = () => client.close();
  signal?.addEventListener('abort', close, { once: true });
  try {
    if (signal?.aborted) return;
    await bounded(client, () => examine(client, path));
    if (!client.capabilities.has('IDLE') && !client.capabilities.has('IMAP4REV2')) throw silent();
    client.on('exists', onNews);
    onOpen();
    await idleOn(client, signal);
  } catch (error) {
    if (!signal?.aborted) throw faultOf(error);
  } finally {
    signal?.removeEventListener('abort', close);
    client.close();
  }
}

/** Returns when the signal aborts. */
async function idleOn(client: ImapFlow, signal: AbortSignal | undefined): Promise<void> {
  while (signal?.aborted !== true) {
    const startedAt = performance.now();
    const isFine = await bounded(client, () => client.idle(), {
      bytesMax: idleBytesMax,
      msMax: Number.POSITIVE_INFINITY,
    });
    if (signal?.aborted) return;
    if (!client.usable) throw new ProviderFault('unavailable', 'unreachable', 'The IMAP server closed a connection.');
    if (isFine === false) throw silent();
    await sleep(Math.max(0, pauseMs - (performance.now() - startedAt)));
  }
}

function silent(): ProviderFault {
  return new ProviderFault('refused', noIdle, 'The IMAP server does not tell of new mail.');
}
