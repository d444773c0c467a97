import type { InfiniteData, QueryKey } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import { ApiError, type Ticket, type TicketWithMessages } from '../../api/client.ts';
import { dropKept, keep, readKept } from '../../api/kept.ts';
import { keptFor } from '../../lib/kept-for.ts';
import type { IdPage } from '../list-places.ts';
import { findRow, receiveRows, rowsOf, withRow } from '../rows.ts';

/** One record, as it is written and read as a whole. */
const recordKey = 'pages';
const listsMax = 5;
const ticketsMax = 50;
const bytesMax = 5_000_000;
const ageMaxMs = 7 * 86_400_000;
/** A series of changes within this time is written once. */
const restMs = 1_000;

type Query = { key: QueryKey; data: unknown };
type Rows = { workspaceId: string; tickets: Ticket[] };
type Kept = { userId: string; savedAt: number; queries: Query[]; rows: Rows[] };
type Me = { user: { id: string } };
type Pages = InfiniteData<IdPage, string | undefined>;

/** Fills the cache with the pages of the last visit. They count as stale, so that each is fetched again when shown. */
export async function restorePages(): Promise<void> {
  const kept = await readKept<Kept>(recordKey);
  if (kept === undefined || kept.userId !== keptFor()) return;
  if (Date.now() - kept.savedAt > ageMaxMs) return forgetPages();
  // Rows that the service has sent meanwhile are newer.
  for (const { workspaceId, tickets } of kept.rows) {
    const told = rowsOf(workspaceId);
    receiveRows(
      workspaceId,
      tickets.filter(({ id }) => !told.has(id)),
    );
  }
  for (const { key, data } of kept.queries) {
    if (queryClient.getQueryData(key) !== undefined) continue;
    const restored = key[2] === 'ticket' ? asTold(String(key[1]), data as TicketWithMessages) : data;
    queryClient.setQueryData(key, restored, { updatedAt: 0 });
  }
}

/** A kept ticket may show a change that was still unsent. This restores the row that the service last sent. */
function asTold(workspaceId: string, ticket: TicketWithMessages): TicketWithMessages {
  const row = findRow(workspaceId, ticket.id);
  return row === undefined ? ticket : withRow(ticket, row);
}

/** Deletes the kept pages when a session ends, so that the next person at this computer finds no tickets. */
export function forgetPages(): Promise<void> {
  return dropKept(recordKey);
}

/** Keeps first pages for the next visit, until the session ends. @returns a function that stops it */
export function keepPages(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = () => {
    timer = undefined;
    const kept = choosePages();
    if (kept !== undefined) void keep(recordKey, kept);
  };
  return queryClient.getQueryCache().subscribe(({ type, query }) => {
    // Presence changes all the time and is never kept.
    if (type !== 'updated' || query.queryKey[2] === 'presence') return;
    if (isRefused(query.state.error)) {
      clearTimeout(timer);
      timer = undefined;
      void forgetPages();
    } else timer ??= setTimeout(save, restMs);
  });
}

/** Whether the session had ended. */
function isRefused(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 401;
}

/**
 * The first pages of the last lists and the last tickets, within `bytesMax`. None after the session has ended: the
 * sign-in page has queries too.
 */
function choosePages(): Kept | undefined {
  const state = queryClient.getQueryState<Me>(['me']);
  const me = state?.data;
  if (me === undefined || isRefused(state?.error ?? null)) return undefined;
  const lists = newest(['tickets'], listsMax).map((query) => ({ ...query, data: firstPage(query.data as Pages) }));
  const tickets = newest(['ticket'], ticketsMax);
  const kept = (count: number): Kept => {
    const queries = [...sessionQueries(), ...lists, ...tickets.slice(0, count)];
    return { userId: me.user.id, savedAt: Date.now(), queries, rows: rowsIn(queries) };
  };
  // Halves the number of tickets until they fit: measuring each ticket would cost more than it saves.
  let count = tickets.length;
  while (count > 0 && JSON.stringify(kept(count)).length > bytesMax) count = Math.floor(count / 2);
  return kept(count);
}

/** The signed-in account, members and views, which every page shows. */
function sessionQueries(): Query[] {
  const names = ['members', 'views'];
  return queryClient
    .getQueryCache()
    .getAll()
    .filter(({ queryKey: [first, , name], state }) => isKnown(state.data) && (first === 'me' || isOneOf(names, name)))
    .map(({ queryKey: key, state: { data } }) => ({ key, data }));
}

/** Queries of a workspace by name: those on the screen first, then the last fetched. */
function newest(names: readonly string[], countMax: number): Query[] {
  return queryClient
    .getQueryCache()
    .getAll()
    .filter(({ queryKey, state }) => isOneOf(names, queryKey[2]) && queryKey.length === 4 && isKnown(state.data))
    .sort((a, b) => b.getObserversCount() - a.getObserversCount() || b.state.dataUpdatedAt - a.state.dataUpdatedAt)
    .slice(0, countMax)
    .map(({ queryKey: key, state: { data } }) => ({ key, data }));
}

const isKnown = (data: unknown) => data !== undefined;
const isOneOf = (names: readonly string[], name: unknown) => typeof name === 'string' && names.includes(name);

function firstPage({ pages, pageParams }: Pages): Pages {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
}

/** The rows of these lists and tickets as the service sent them. `kept-changes.ts` keeps unsent changes. */
function rowsIn(queries: readonly Query[]): Rows[] {
  const byWorkspace = Map.groupBy(
    queries.filter(({ key }) => key[0] === 'workspace'),
    ({ key }) => String(key[1]),
  );
  return [...byWorkspace].map(([workspaceId, some]) => {
    const rows = rowsOf(workspaceId);
    const ids = new Set(some.flatMap(({ key, data }) => idsIn(key[2], data)));
    return { workspaceId, tickets: [...ids].flatMap((id) => rows.get(id)?.told ?? []) };
  });
}

function idsIn(name: unknown, data: unknown): string[] {
  if (name === 'tickets') return (data as Pages).pages.flatMap(({ ids }) => ids);
  return name === 'ticket' ? [(data as TicketWithMessages).id] : [];
}
