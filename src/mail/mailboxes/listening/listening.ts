import { setTimeout as sleep } from 'node:timers/promises';
import type { MailboxKey } from '../../../ground/catalog/jobs.ts';
import type { Live } from '../../../ground/database/live.ts';
import { newId, type WorkspaceId } from '../../../ground/lib/ids.ts';
import { inTurns } from '../../../ground/lib/in-turns.ts';
import type { Logger } from '../../../ground/platform/log.ts';
import { openHints } from '../../../ground/queue/hints.ts';
import { noIdle, ProviderFault } from '../../provider-fault.ts';
import type { AccountParts } from '../open-account.ts';
import { findMailbox } from '../queries.ts';
import { requestSync } from '../request-sync.ts';
import { serverAccess } from '../servers/servers.ts';
import { onAskedToListen } from './ask-to-listen.ts';
import { leaveListener, renewListeners, takeListeners } from './listeners.ts';

export type ListeningPace = {
  lookMs: number;
  renewMs: number;
  /** Rests after connections that broke soon, by their number in a row. The last one repeats. */
  restsSeconds: readonly number[];
};

const usualPace: ListeningPace = { lookMs: 5_000, renewMs: 20_000, restsSeconds: [5, 30, 120, 600, 3_600] };
/** A look takes at most this share of the time, however many mailboxes there are. */
const lookShareMax = 1 / 20;
/** More mailboxes are only looked at every few minutes. */
const listenersMax = 2_000;
const takenMax = 50;
const connectsAtOnceMax = 10;
/** A server that cannot tell may learn it with its next release. */
const unableRestSeconds = 21_600;
/** A connection that lasted so long broke by chance. */
const lastingMs = 300_000;
/** Many mails at once share a sync. */
const pokeMs = 500;

type Taken = MailboxKey & { holder: string; failures: number };
type Held = Taken & { ending: AbortController; ended: Promise<void> };
type ListeningParts = AccountParts & { live: Pick<Live, 'followSignals'>; log: Logger };

/**
 * Keeps connections to the servers of mailboxes, and makes a mailbox due for a sync when its server tells of new mail.
 * News from a server only saves time: every mailbox is read every few minutes anyway.
 */
export function startListening(parts: ListeningParts, pace: ListeningPace = usualPace): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const held = new Map<string, Held>();
  const inTurn = inTurns(connectsAtOnceMax);
  const hints = openHints();

  const begin = (mailbox: Taken): void => {
    // One that is held already was connected again, maybe at another server.
    const former = held.get(mailbox.mailboxId);
    former?.ending.abort();
    const listening: Held = { ...mailbox, ending: new AbortController(), ended: Promise.resolve() };
    const listen = async (): Promise<void> => {
      await former?.ended;
      await listenTo(parts, listening, { inTurn, pace });
      if (held.get(mailbox.mailboxId) === listening) held.delete(mailbox.mailboxId);
    };
    held.set(mailbox.mailboxId, listening);
    listening.ended = listen();
  };
  const take = async (within: readonly WorkspaceId[] | null): Promise<void> => {
    for (let taken = takenMax; taken === takenMax && !stopping.signal.aborted; ) {
      const rowsMax = Math.min(takenMax, listenersMax - held.size);
      if (rowsMax <= 0) return;
      const holder = newId();
      const mailboxes = await parts.db.tx((tx) => takeListeners(tx, holder, { within, rowsMax }));
      for (const mailbox of mailboxes) begin({ ...mailbox, holder });
      taken = mailboxes.length;
    }
  };
  const renew = async (): Promise<void> => {
    const mailboxes = [...held.values()];
    if (mailboxes.length === 0) return;
    const ours = await parts.db.tx((tx) => renewListeners(tx, mailboxes));
    const kept = new Set(ours.map(keyOf));
    for (const mailbox of mailboxes) if (!kept.has(keyOf(mailbox))) mailbox.ending.abort();
  };
  let lookAt = 0;
  const look = async (): Promise<void> => {
    const startedAt = performance.now();
    const isEverywhere = startedAt >= lookAt;
    const hinted = hints.take();
    try {
      if (isEverywhere || hinted.length > 0) await take(isEverywhere ? null : hinted);
    } finally {
      const endedAt = performance.now();
      if (isEverywhere) lookAt = endedAt + Math.max(pace.lookMs, (endedAt - startedAt) / lookShareMax);
    }
  };
  const unfollow = onAskedToListen(parts.live, (workspaceId) => hints.add([workspaceId]));
  const { signal } = stopping;
  const running = Promise.all([
    repeat(look, () => hints.wait(lookAt), { signal, parts }),
    repeat(renew, () => sleep(pace.renewMs, undefined, { signal }).catch(() => {}), { signal, parts }),
  ]);
  return {
    stop: async () => {
      unfollow();
      stopping.abort();
      hints.add([]);
      await running;
      for (const { ending } of held.values()) ending.abort();
      await Promise.all([...held.values()].map(({ ended }) => ended));
    },
  };
}

/** Each listening has an id of its own, so one that ends cannot give up the lease of the next one. */
function keyOf({ mailboxId, holder }: Pick<Taken, 'mailboxId' | 'holder'>): string {
  return `${mailboxId} ${holder}`;
}

type Repeating = { signal: AbortSignal; parts: Pick<ListeningParts, 'log'> };

async function repeat(
  work: () => Promise<void>,
  rest: () => Promise<unknown>,
  { signal, parts }: Repeating,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch((err) => parts.log.warn({ err }, 'the listeners to mail servers could not be looked after'));
    if (!signal.aborted) await rest();
  }
}

type Manner = { inTurn: ReturnType<typeof inTurns>; pace: ListeningPace };

/** Listens until the connection breaks or `ending` aborts, and leaves the mailbox to other processes. Never throws. */
async function listenTo(
  parts: ListeningParts,
  { workspaceId, mailboxId, holder, failures, ending }: Held,
  manner: Manner,
) {
  const { db, log } = parts;
  const named = { workspaceId, mailboxId };
  const openedAt = performance.now();
  const fault = await listenOnce(parts, named, ending.signal, manner).then(
    () => undefined,
    (error: unknown) => error,
  );
  const isUnable = fault instanceof ProviderFault && fault.code === noIdle;
  const { restsSeconds } = manner.pace;
  const isRefused = fault instanceof ProviderFault && fault.kind === 'unauthorized';
  const isLasting = fault === undefined || performance.now() - openedAt > lastingMs;
  // A refused sign-in takes the longest rest at once, before the provider locks the account.
  const failed = isRefused ? restsSeconds.length : isLasting ? 0 : failures + 1;
  const restSeconds = isUnable ? unableRestSeconds : (restsSeconds[Math.min(failed, restsSeconds.length) - 1] ?? 0);
  if (fault instanceof ProviderFault) {
    const { code, message: reason } = fault;
    // The sync meets the refusal as well, and notes it: then nobody tries the password again.
    if (isRefused) pokeOf(parts, named)();
    log.info({ ...named, code, reason }, 'a mailbox is not listened to for a while');
  } else if (fault !== undefined) log.warn({ err: fault, ...named }, 'a mailbox could not be listened to');
  // If the database is away, the lease expires by itself.
  await db
    .tx((tx) => leaveListener(tx, holder, named, { restSeconds, failures: failed }))
    .catch((err) => log.warn({ err, ...named }, 'a mailbox could not be left to other listeners'));
}

async function listenOnce(
  parts: ListeningParts,
  named: MailboxKey,
  signal: AbortSignal,
  { inTurn }: Manner,
): Promise<void> {
  const mailbox = await findMailbox(parts.db, named);
  const provider = mailbox && parts.providers[mailbox.provider];
  if (mailbox === undefined || provider?.auth !== 'password' || signal.aborted) return;
  const poke = pokeOf(parts, named);
  let listening = Promise.resolve();
  await inTurn(async () => {
    const opened = Promise.withResolvers<void>();
    // Mail may have come while nobody listened.
    const onOpen = () => {
      opened.resolve();
      poke();
    };
    listening = provider.listen(serverAccess(parts, mailbox, signal), { onOpen, onNews: poke });
    await Promise.race([opened.promise, listening]);
  });
  await listening;
}

/** Asks for a sync at once, and for at most one more after a while. */
function pokeOf({ db, log }: ListeningParts, named: MailboxKey): () => void {
  let isResting = false;
  let isWanted = false;
  const poke = (): void => {
    isWanted = isResting;
    if (isResting) return;
    isResting = true;
    setTimeout(() => {
      isResting = false;
      if (isWanted) poke();
    }, pokeMs).unref();
    db.tx((tx) => requestSync(tx, named)).catch((err) =>
      log.warn({ err, ...named }, 'a mailbox’s news could not be noted'),
    );
  };
  return poke;
}
