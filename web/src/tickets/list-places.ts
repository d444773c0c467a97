import type { InfiniteData } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import type { Ticket } from '../api/client.ts';
import { belongs, isDecidable, type Looker } from './filters.ts';
import type { ListParameters } from './lists.ts';
import { orderOf } from './order.ts';

export type IdPage = { ids: string[]; nextCursor: string | undefined };
type Shown = ReadonlyMap<string, { shown: Ticket }>;
type Pages = InfiniteData<IdPage, string | undefined>;

export const teamsKey = (workspaceId: string) => ['workspace', workspaceId, 'teams'] as const;
export const listsKey = (workspaceId: string) => ['workspace', workspaceId, 'tickets'] as const;

/** The id of the signed-in person. */
export function ownId(): string {
  return queryClient.getQueryData<{ user: { id: string } }>(['me'])?.user.id ?? '';
}

/** The member, their teams and the time, which decide about `me`, `mine` and snoozed tickets. */
export function looker(workspaceId: string): Looker {
  const teams = queryClient.getQueryData<{ id: string; isMember: boolean }[]>(teamsKey(workspaceId)) ?? [];
  const teamIds = teams.filter(({ isMember }) => isMember).map(({ id }) => id);
  return { userId: ownId(), teamIds, now: new Date() };
}

/** Adds changed tickets to loaded lists, moves and removes them, without asking the service. */
export function placeInLists(workspaceId: string, changed: readonly Ticket[], rows: Shown): void {
  const as = looker(workspaceId);
  for (const [queryKey, pages] of queryClient.getQueriesData<Pages>({ queryKey: listsKey(workspaceId) })) {
    if (pages === undefined) continue;
    const list = queryKey[3] as ListParameters;
    const placed = placedIn(list, pages.pages, changed, rows, as);
    if (placed !== undefined && placed !== pages.pages)
      queryClient.setQueryData<Pages>(queryKey, { ...pages, pages: placed });
  }
}

/** The tickets of all loaded lists. */
export function idsInLists(workspaceId: string): ReadonlySet<string> {
  const lists = queryClient.getQueriesData<Pages>({ queryKey: listsKey(workspaceId) });
  return new Set(lists.flatMap(([, list]) => list?.pages.flatMap(({ ids }) => ids) ?? []));
}

/** Takes tickets out of all loaded lists. */
export function removeFromLists(workspaceId: string, gone: ReadonlySet<string>): void {
  queryClient.setQueriesData<Pages>({ queryKey: listsKey(workspaceId) }, (pages) =>
    pages === undefined
      ? undefined
      : { ...pages, pages: pages.pages.map((page) => ({ ...page, ids: page.ids.filter((id) => !gone.has(id)) })) },
  );
}

/** Fetches lists again that only the service can decide, such as searches. */
export function refreshAskedLists(workspaceId: string): void {
  void queryClient.invalidateQueries({
    queryKey: listsKey(workspaceId),
    predicate: ({ queryKey }) => !isDecidable(queryKey[3] as ListParameters),
  });
}

/**
 * @returns the corrected pages; the same object where nothing moves, and undefined where only the service can decide
 */
function placedIn(
  list: ListParameters,
  pages: IdPage[],
  changed: readonly Ticket[],
  rows: Shown,
  as: Looker,
): IdPage[] | undefined {
  const compare = orderOf(list);
  if (!isDecidable(list) || compare === undefined) return undefined;
  let placed = pages;
  for (const ticket of changed) {
    const others = withoutId(placed, ticket.id);
    const wasIn = !isSame(placed, others);
    const next = belongs(list, ticket, as) ? withTicket(others, ticket, { rows, compare, wasIn }) : others;
    if (!isSame(placed, next)) placed = next;
  }
  return placed;
}

function withoutId(pages: IdPage[], id: string): IdPage[] {
  return pages.map((page) =>
    page.ids.includes(id) ? { ...page, ids: page.ids.filter((other) => other !== id) } : page,
  );
}

type Place = { rows: Shown; compare: (a: Ticket, b: Ticket) => number; wasIn: boolean };

/** A ticket that is new after the last loaded row waits for its page, because unloaded tickets may come before it. */
function withTicket(pages: IdPage[], ticket: Ticket, { rows, compare, wasIn }: Place): IdPage[] {
  for (const [at, page] of pages.entries()) {
    const index = page.ids.findIndex((id) => {
      const other = rows.get(id)?.shown;
      return other !== undefined && compare(ticket, other) < 0;
    });
    const isEnd = at === pages.length - 1 && (page.nextCursor === undefined || wasIn);
    if (index === -1 && !isEnd) continue;
    const ids = page.ids.toSpliced(index === -1 ? page.ids.length : index, 0, ticket.id);
    return pages.with(at, { ...page, ids });
  }
  return pages;
}

function isSame(a: IdPage[], b: IdPage[]): boolean {
  return (
    a === b ||
    a.every(({ ids }, at) => ids.length === b[at]?.ids.length && ids.every((id, index) => id === b[at]?.ids[index]))
  );
}
