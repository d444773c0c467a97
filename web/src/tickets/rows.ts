import { replaceEqualDeep } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import type { Ticket, TicketWithMessages } from '../api/client.ts';
import { placeInLists } from './list-places.ts';
import { changedFields, type TicketChange } from './ticket-change.ts';

type HeldChange = { key: string; change: TicketChange };
/** A ticket as the service told it, the changes that it has not answered yet, and what both make. */
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

/** Takes what the service tells of tickets. An answer that was overtaken by a newer one changes nothing. */
export function receiveRows(workspaceId: string, tickets: readonly Ticket[]): void {
  commit(
    workspaceId,
    tickets.map(({ id }) => id),
    (row, id) => {
      const told = tickets.find((ticket) => ticket.id === id) as Ticket; // the ids are of these
      if (row !== undefined && row.told.version > told.version) return row;
      return { told: replaceEqualDeep(row?.told, { ...row?.told, ...told }), held: row?.held ?? [] };
    },
  );
}

/** Takes whether a ticket has something that the member has not read. */
export function receiveUnread(workspaceId: string, ticketId: string, unread: boolean): void {
  const told = rowsOf(workspaceId).get(ticketId)?.told;
  if (told !== undefined && told.unread !== unread) receiveRows(workspaceId, [{ ...told, unread }]);
}

/** Shows a change before the service has answered. */
export function holdChange(workspaceId: string, ticketIds: readonly string[], held: HeldChange): void {
  commit(workspaceId, ticketIds, (row) => row && { told: row.told, held: [...row.held, held] });
}

/** Shows a change no longer: it was refused, or what the service has told holds it. */
export function dropChange(workspaceId: string, ticketIds: readonly string[], key: string): void {
  commit(workspaceId, ticketIds, (row) => row && { told: row.told, held: row.held.filter((held) => held.key !== key) });
}

/** What was held is as the service has it; the answer told no rows. */
export function settleChange(workspaceId: string, ticketIds: readonly string[], { key, change }: HeldChange): void {
  commit(
    workspaceId,
    ticketIds,
    (row) =>
      row && {
        told: { ...row.told, ...changedFields(row.told, change, new Date()) },
        held: row.held.filter((held) => held.key !== key),
      },
  );
}

type Kept = Omit<Row, 'shown'>;

function commit(
  workspaceId: string,
  ticketIds: readonly string[],
  next: (row: Row | undefined, id: string) => Kept | undefined,
): void {
  const before = rowsOf(workspaceId);
  const after = new Map(before);
  for (const id of ticketIds) {
    const row = next(before.get(id), id);
    if (row !== undefined) after.set(id, { ...row, shown: shownOf(row, before.get(id)) });
  }
  queryClient.setQueryData(rowsKey(workspaceId), after);
  const changed = ticketIds.flatMap((id) => {
    const [old, row] = [before.get(id), after.get(id)];
    return row === undefined || (old?.shown === row.shown && old.held.length === row.held.length) ? [] : [row.shown];
  });
  if (changed.length === 0) return;
  for (const ticket of changed) showInTicket(workspaceId, ticket);
  placeInLists(workspaceId, changed, after);
}

function shownOf({ told, held }: Kept, before: Row | undefined): Ticket {
  const now = new Date();
  let shown = told;
  for (const { change } of held) shown = { ...shown, ...changedFields(shown, change, now) };
  return replaceEqualDeep(before?.shown, shown);
}

/** The ticket that is read shows what its row shows. */
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

/** The fields of a ticket that its row has; the messages are the ticket's alone. */
export function rowIn(ticket: Ticket | TicketWithMessages): Ticket {
  const { messages, drafts, replyDefaults, ...row } = ticket as TicketWithMessages; // a row has none of the three
  return row;
}
