import { notifyManager, replaceEqualDeep } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import type { Ticket, TicketWithMessages } from '../api/client.ts';
import { type Move, showOwnMoves, showToldMoves, type ToldMove } from './counts/count-moves.ts';
import { idsInLists, listsKey, placeInLists, removeFromLists } from './list-places.ts';
import { changedFields, type TicketChange } from './ticket-change.ts';

type HeldChange = { key: string; change: TicketChange };
/**
 * A ticket as the service sent it (`told`), changes that it has not answered yet (`held`), and both together (`shown`).
 */
type Row = { told: Ticket; held: readonly HeldChange[]; shown: Ticket };
export type Rows = ReadonlyMap<string, Row>;

const noRows: Rows = new Map();

/** Every ticket that a list holds lives here once; lists hold ids. */
export const rowsKey = (workspaceId: string) => ['workspace', workspaceId, 'rows'] as const;

export function rowsOf(workspaceId: string): Rows {
  return queryClient.getQueryData<Rows>(rowsKey(workspaceId)) ?? noRows;
}

export function findRow(workspaceId: string, ticketId: string): Ticket | undefined {
  return rowsOf(workspaceId).get(ticketId)?.shown;
}

export function findRowByNumber(workspaceId: string, number: number): Ticket | undefined {
  return [...rowsOf(workspaceId).values()].find(({ shown }) => shown.ticketNumber === number)?.shown;
}

/** Stores tickets that the service sent. A version older than the stored version changes nothing. */
export function receiveRows(workspaceId: string, tickets: readonly Ticket[]): void {
  receive(workspaceId, tickets);
}

/** Stores tickets that the service sent as its answer to the member's own change of them. */
export function receiveAnswer(workspaceId: string, tickets: readonly Ticket[]): void {
  notifyManager.batch(() => showOwnMoves(workspaceId, receive(workspaceId, tickets)));
}

function receive(workspaceId: string, tickets: readonly Ticket[]): Move[] {
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  return commit(workspaceId, [...byId.keys()], (row, id) => {
    const told = byId.get(id) as Ticket; // the ids come from these tickets
    if (row !== undefined && row.told.version > told.version) return row;
    return { told: replaceEqualDeep(row?.told, { ...row?.told, ...told }), held: row?.held ?? [] };
  });
}

/** A ticket as an event tells it. */
export type ToldRow = { eventId: string; ticket: Ticket; isNew: boolean; isOwn: boolean };

/**
 * Stores tickets of the live stream, and counts how they moved. Forgets new tickets that belong to no loaded list: a
 * page stays open for days, and its memory would grow with each ticket of the workspace.
 * @param told the tickets of all events in their order
 * @returns whether the counts may lack a change
 */
export function receiveLiveRows(workspaceId: string, told: readonly ToldRow[]): boolean {
  const before = rowsOf(workspaceId);
  const newest = new Map(told.map(({ ticket }) => [ticket.id, ticket]));
  const news = [...newest.values()].filter(({ id, version }) => version > (before.get(id)?.told.version ?? 0));
  const mayLack = notifyManager.batch(() => {
    receive(workspaceId, news);
    return showToldMoves(workspaceId, movesTold(before, told));
  });
  const added = news.filter(({ id }) => !before.has(id));
  // An answer that is on its way may be older than these rows, and is corrected by them.
  if (added.length === 0 || queryClient.isFetching({ queryKey: listsKey(workspaceId) }) > 0) return mayLack;
  const listed = idsInLists(workspaceId);
  const kept = new Map(rowsOf(workspaceId));
  for (const { id } of added) if (!listed.has(id)) kept.delete(id);
  queryClient.setQueryData(rowsKey(workspaceId), kept);
  return mayLack;
}

/** How each event moved its ticket. Where a ticket came from is unknown until a row or an event has told it. */
function movesTold(before: Rows, told: readonly ToldRow[]): ToldMove[] {
  const known = new Map<string, Ticket>();
  return told.flatMap<ToldMove>(({ eventId, ticket, isNew, isOwn }) => {
    const row = before.get(ticket.id);
    const from = known.get(ticket.id) ?? row?.shown;
    const isLate = from !== undefined && from.version >= ticket.version;
    const to = isLate ? from : shownOf({ told: ticket, held: row?.held ?? [] }, row);
    known.set(ticket.id, to);
    // The answer to an own change brings its version before its event does.
    const isAhead = isOwn || ticket.version > (from?.version ?? 0) + 1;
    if (isNew) return [{ eventId, from: undefined, to, isAhead }];
    return isLate || from === undefined ? [] : [{ eventId, from, to, isAhead }];
  });
}

/** Stores the fields of a ticket that concern the member alone. Their changes raise no version. */
export function receiveOwn(
  workspaceId: string,
  ticketId: string,
  own: Partial<Pick<Ticket, 'unread' | 'hasDraft'>>,
): void {
  const told = rowsOf(workspaceId).get(ticketId)?.told;
  if (told === undefined) return;
  const next = { ...told, ...own };
  if (next.unread !== told.unread || next.hasDraft !== told.hasDraft) receiveRows(workspaceId, [next]);
}

/** Shows a change before the service has answered. */
export function holdChange(workspaceId: string, ticketIds: readonly string[], held: HeldChange): void {
  commitOwn(workspaceId, ticketIds, (row) => row && { told: row.told, held: [...row.held, held] });
}

/** Stops showing a change: it was refused, or the ticket as the service sent it has it already. */
export function dropChange(workspaceId: string, ticketIds: readonly string[], key: string): void {
  const withoutIt = (held: HeldChange) => held.key !== key;
  commitOwn(workspaceId, ticketIds, (row) => row && { told: row.told, held: row.held.filter(withoutIt) });
}

/**
 * Makes a change a part of the stored ticket: the service took it, and its answer had no rows.
 * @param versions the versions after the change, by ticket id
 */
export function settleChange(
  workspaceId: string,
  versions: ReadonlyMap<string, number>,
  { key, change }: HeldChange,
): void {
  commitOwn(workspaceId, [...versions.keys()], (row, id) => {
    if (row === undefined) return undefined;
    const told = { ...row.told, ...changedFields(row.told, change, new Date()) };
    // Events from before the change are late. The event of the change itself tells fields that only the service sets.
    const version = Math.max(told.version, (versions.get(id) ?? 0) - 1);
    return { told: { ...told, version }, held: row.held.filter((held) => held.key !== key) };
  });
}

/** Forgets tickets that are deleted for good, or hidden from the person. */
export function dropRows(workspaceId: string, ticketIds: readonly string[]): void {
  const gone = new Set(ticketIds);
  const left = new Map([...rowsOf(workspaceId)].filter(([id]) => !gone.has(id)));
  queryClient.setQueryData(rowsKey(workspaceId), left);
  removeFromLists(workspaceId, gone);
}

/** Forgets a ticket that is gone, or hidden from the person. */
export function dropNumber(workspaceId: string, ticketNumber: number): void {
  const ids = [...rowsOf(workspaceId)].flatMap(([id, { told }]) => (told.ticketNumber === ticketNumber ? [id] : []));
  if (ids.length > 0) dropRows(workspaceId, ids);
}

type Kept = Omit<Row, 'shown'>;
type Next = (row: Row | undefined, id: string) => Kept | undefined;

/** The same for changes of the member, which the counts on the screen follow. */
function commitOwn(workspaceId: string, ticketIds: readonly string[], next: Next): void {
  notifyManager.batch(() => showOwnMoves(workspaceId, commit(workspaceId, ticketIds, next)));
}

/**
 * Stores the next rows of these tickets, and shows them in the open ticket and in the lists.
 * @returns the changes of tickets that had a row
 */
function commit(workspaceId: string, ticketIds: readonly string[], next: Next): Move[] {
  const before = rowsOf(workspaceId);
  const after = new Map(before);
  for (const id of ticketIds) {
    const row = next(before.get(id), id);
    if (row !== undefined) after.set(id, { ...row, shown: shownOf(row, before.get(id)) });
  }
  const changed = ticketIds.flatMap((id) => {
    const [old, row] = [before.get(id), after.get(id)];
    if (row === undefined || (old?.shown === row.shown && old.held.length === row.held.length)) return [];
    return [{ from: old?.shown, to: row.shown }];
  });
  // One batch, so that a row and the counts of its lists change in the same frame.
  notifyManager.batch(() => {
    queryClient.setQueryData(rowsKey(workspaceId), after);
    if (changed.length === 0) return;
    for (const { to } of changed) showInTicket(workspaceId, to);
    const shown = changed.map(({ to }) => to);
    placeInLists(workspaceId, shown, after);
  });
  return changed.filter(({ from }) => from !== undefined);
}

function shownOf({ told, held }: Kept, before: Row | undefined): Ticket {
  const now = new Date();
  let shown = told;
  for (const { change } of held) shown = { ...shown, ...changedFields(shown, change, now) };
  return replaceEqualDeep(before?.shown, shown);
}

/** Copies the row's fields to the ticket with its messages. */
function showInTicket(workspaceId: string, row: Ticket): void {
  queryClient.setQueryData<TicketWithMessages>(ticketKey(workspaceId, row.ticketNumber), (ticket) =>
    ticket === undefined ? undefined : withRow(ticket, row),
  );
}

/** A ticket with the fields of its row. */
export function withRow(ticket: TicketWithMessages, row: Ticket): TicketWithMessages {
  const fields = Object.keys(row).filter((name) => name in ticket) as (keyof Ticket)[];
  return { ...ticket, ...Object.fromEntries(fields.map((name) => [name, row[name]])) };
}

export const ticketKey = (workspaceId: string, number: number) => ['workspace', workspaceId, 'ticket', number] as const;

/**
 * What a list's answer lacks. In a row it would look as if the ticket had changed, and the counts would be read again.
 */
const ofOpenTicket = {
  messages: true,
  earlierCursor: true,
  drafts: true,
  replyDefaults: true,
  replyOffers: true,
} satisfies Record<Exclude<keyof TicketWithMessages, keyof Ticket>, true>;

/** The row of a ticket, as a list tells it. */
export function rowIn(ticket: Ticket | TicketWithMessages): Ticket {
  const fields = Object.entries(ticket).filter(([name]) => !(name in ofOpenTicket));
  return Object.fromEntries(fields) as Ticket; // an open ticket has all fields of a row
}
