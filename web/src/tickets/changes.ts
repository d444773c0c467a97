import { useSyncExternalStore } from 'react';
import { ApiError, type Ticket } from '../api/client.ts';
import { createOutbox } from '../api/outbox.ts';
import { tabEnded, tabId } from '../api/tab.ts';
import { randomId } from '../lib/random-id.ts';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import { changeWords, undoneWords } from './change-words.ts';
import { keepChanges, takeChangesLeft } from './kept/kept-changes.ts';
import { ownId } from './list-places.ts';
import { dropChange, findRow, holdChange, receiveRows, rowIn } from './rows.ts';
import { numberRefused, type Refusal, sendChange, type TicketWrite } from './send-change.ts';
import { changedFields, inverseOf, type TicketChange } from './ticket-change.ts';
import { forgetAllDone, forgetDone, remember } from './undo.ts';

export type Outcome = {
  changedCount: number;
  refusals: Refusal[];
  /** Set if a toast has shown the refusals. */
  isTold?: boolean;
};

/** The longer changes wait, the likelier the service refuses them. */
const waitingMax = 100;
const listeners = new Set<() => void>();
const outcomes = new Map<string, (outcome: Outcome) => void>();

const outbox = createOutbox<TicketWrite>({
  send: async (write, key) => {
    const refusals = await sendChange(write, key);
    if (refusals.length === write.targets.length) forgetDone(key);
    if (!outcomes.has(key)) tellRefusals({ changedCount: write.targets.length - refusals.length, refusals });
    settle(key, write, refusals);
  },
  onRefused: (write, key, error) => {
    dropChange(
      write.workspaceId,
      write.targets.map(({ id }) => id),
      key,
    );
    forgetDone(key);
    const reason = reasonOf(error);
    showToast(`${numbersOf(write, error)}: ${reason}`, { isBad: true });
    settle(
      key,
      write,
      write.targets.map(({ id, ticketNumber }) => ({ id, ticketNumber, reason })),
      true,
    );
  },
  onChange: () => {
    keepChanges(ownId(), outbox.waiting());
    for (const listener of listeners) listener();
  },
});

/**
 * Changes tickets: on the screen at once, then at the service. A refused change is undone on the screen, with its
 * reason.
 * @returns how many tickets changed and which were refused, once the service has answered
 */
export function changeTickets(workspaceId: string, tickets: readonly Ticket[], change: TicketChange): Promise<Outcome> {
  const now = new Date();
  receiveRows(workspaceId, tickets.filter(({ id }) => findRow(workspaceId, id) === undefined).map(rowIn));
  const rows = tickets.map(({ id }) => findRow(workspaceId, id)).filter((row) => row !== undefined);
  const inverses = rows.flatMap((row) => {
    const inverse = inverseOf(row, change, now);
    return inverse === undefined ? [] : [{ row, inverse }];
  });
  const changed = change.kind === 'unmerge' ? rows : inverses.map(({ row }) => row);
  const isFull = outbox.waiting().length >= waitingMax;
  if (isFull) showToast(words('change.tooMany', { count: waitingMax }), { isBad: true });
  if (changed.length === 0 || isFull) return Promise.resolve({ changedCount: 0, refusals: [] });
  const key = send(workspaceId, changed, change);
  if (inverses.length > 0)
    remember({
      key,
      text: changeWords(changed, change, change.kind === 'merge' ? findRow(workspaceId, change.targetId) : undefined),
      undone: undoneWords(changed),
      takeBack: () => {
        if (outbox.takeBack(key)) {
          dropChange(
            workspaceId,
            changed.map(({ id }) => id),
            key,
          );
          outcomes.delete(key);
        } else for (const [inverse, some] of grouped(inverses)) send(workspaceId, some, inverse);
      },
    });
  return new Promise((resolve) => outcomes.set(key, resolve));
}

/** Changes fields of one ticket. */
export function changeTicket(
  workspaceId: string,
  ticket: Ticket,
  fields: (TicketChange & { kind: 'fields' })['fields'],
) {
  return changeTickets(workspaceId, [ticket], { kind: 'fields', fields });
}

function send(workspaceId: string, given: readonly Ticket[], change: TicketChange): string {
  const key = randomId();
  const now = new Date();
  const ids = given.map(({ id }) => id);
  const targets = given.map((ticket) => {
    const row = findRow(workspaceId, ticket.id) ?? ticket;
    const fields = Object.keys(changedFields(row, change, now)) as (keyof Ticket)[];
    const before = Object.fromEntries(fields.map((name) => [name, row[name]]));
    return { id: row.id, ticketNumber: row.ticketNumber, version: row.version, before };
  });
  holdChange(workspaceId, ids, { key, change });
  const subjects = change.kind === 'merge' ? [...ids, change.targetId] : ids;
  outbox.put({ key, subjects, write: { workspaceId, targets, change } });
  return key;
}

/** Groups tickets with the same inverse change, so that a single request restores each group. */
function grouped(inverses: readonly { row: Ticket; inverse: TicketChange }[]): [TicketChange, Ticket[]][] {
  const groups = Map.groupBy(inverses, ({ inverse }) => JSON.stringify(inverse));
  return [...groups].map(([inverse, some]) => [JSON.parse(inverse) as TicketChange, some.map(({ row }) => row)]);
}

function settle(key: string, { targets }: TicketWrite, refusals: Refusal[], isTold = false): void {
  outcomes.get(key)?.({ changedCount: targets.length - refusals.length, refusals, isTold });
  outcomes.delete(key);
}

/** What to tell of refusals, each once: all sources of a merge may be refused because of its target. */
export function reasonsOf(refusals: readonly Refusal[]): string[] {
  return [...new Set(refusals.map(({ ticketNumber, reason }) => `#${ticketNumber}: ${reason}`))];
}

/** Shows refusals as a toast, where no list shows them. */
export function tellRefusals({ changedCount, refusals, isTold = false }: Outcome): void {
  if (refusals.length === 0 || isTold) return;
  const reasons = reasonsOf(refusals).join(' ');
  const text = changedCount === 0 ? reasons : words('change.someRefused', { count: changedCount, reasons });
  showToast(text, { isBad: true });
}

function numbersOf(write: TicketWrite, error: Error): string {
  const [first, ...others] = write.targets;
  if (first === undefined || others.length > 0) return words('change.tickets', { count: write.targets.length });
  return `#${numberRefused(write, first, error)}`;
}

function reasonOf(error: Error): string {
  return error instanceof ApiError || !(error instanceof TypeError) ? error.message : words('error.network');
}

/** The person whose changes this tab sends. */
let sender: string | undefined;

/** Sends the changes that closed tabs could not, now and when the network is back. */
export async function resumeChanges(userId: string): Promise<void> {
  sender = userId;
  // Adding the same listener again has no effect.
  window.addEventListener('online', onOnline);
  await takeOver();
}

function onOnline(): void {
  outbox.wake();
  void takeOver();
}

/** Other tabs whose end this page waits for. The page before this one may still live when this one begins. */
const awaited = new Set<string>([tabId]);

async function takeOver(): Promise<void> {
  if (sender === undefined) return;
  const { left, living } = await takeChangesLeft(sender);
  for (const tab of [...living].filter((one) => !awaited.has(one))) {
    awaited.add(tab);
    void tabEnded(tab).then(() => {
      awaited.delete(tab);
      return takeOver();
    });
  }
  for (const { key, write } of left)
    holdChange(
      write.workspaceId,
      write.targets.map(({ id }) => id),
      { key, change: write.change },
    );
  if (left.length > 0) outbox.resume(left);
}

/** Forgets undo steps and unsent changes at sign-out, so that the next person does not get them. */
export function forgetChanges(): void {
  sender = undefined;
  outbox.clear();
  outcomes.clear();
  forgetAllDone();
}

/** Whether changes wait for a service that cannot be reached. */
export function hasStuckChanges(): boolean {
  return outbox.isOffline() && outbox.waiting().length > 0;
}

/** How many changes wait for the service, and whether it can be reached. */
export function useWaitingChanges(): { count: number; isOffline: boolean } {
  const count = useSyncExternalStore(subscribe, () => outbox.waiting().length);
  const isOffline = useSyncExternalStore(subscribe, outbox.isOffline);
  return { count, isOffline };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
