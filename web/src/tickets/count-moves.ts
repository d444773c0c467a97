import { replaceEqualDeep } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import type { Ticket } from '../api/client.ts';
import type { Start } from '../api/start.ts';
import { belongs, isDecidable } from './filters.ts';
import { looker } from './list-places.ts';
import { type ListParameters, readQuery, standardLists } from './lists.ts';

type Counts = Start['counts'];
/** A ticket before and after a change; undefined before it was made. */
export type Move = { from: Ticket | undefined; to: Ticket };

export const countsKey = (workspaceId: string) => ['workspace', workspaceId, 'counts'] as const;

let shownMoves = 0;

/** How often the counts on the screen have followed tickets so far. */
export function movesShown(): number {
  return shownMoves;
}

/** Lets the counts on the screen follow tickets into and out of lists, until the service counts again. */
export function showMoves(workspaceId: string, moves: readonly Move[]): void {
  const counts = queryClient.getQueryData<Counts>(countsKey(workspaceId));
  const next = counts && withMoves(workspaceId, counts, moves);
  if (next === counts) return;
  shownMoves += 1;
  queryClient.setQueryData(countsKey(workspaceId), next);
}

/** The count of a list; undefined where the list has none, or an earlier release counted. */
export function countIn<Lists extends Counts['lists']>(
  lists: Lists | undefined,
  counted: keyof Lists | undefined,
): Lists[keyof Lists] | undefined {
  return counted === undefined ? undefined : lists?.[counted];
}

/** @returns the same object where no ticket enters or leaves a counted list */
export function withMoves(workspaceId: string, counts: Counts, moves: readonly Move[]): Counts {
  const now = looker();
  const gainOf = (list: ListParameters): number => {
    if (!isDecidable(list)) return 0;
    const isIn = (ticket: Ticket | undefined) => Number(ticket !== undefined && belongs(list, ticket, now));
    return moves.reduce((gain, { from, to }) => gain + isIn(to) - isIn(from), 0);
  };
  const lists = { ...counts.lists };
  for (const { counted, parameters } of standardLists) {
    const shown = countIn(lists, counted);
    if (counted !== undefined && shown !== undefined) lists[counted] = plus(shown, gainOf(parameters));
  }
  const known = queryClient.getQueryData<Start['views']>(['workspace', workspaceId, 'views']);
  const views = counts.views.map((view) => {
    const query = known?.find(({ id }) => id === view.viewId)?.query;
    return query === undefined ? view : plus(view, gainOf(readQuery(query)));
  });
  return replaceEqualDeep(counts, { ...counts, lists, views });
}

/** The service counts up to a limit; beyond that a ticket more or less is unknown. */
function plus<Count extends { count: number; isAtLeast: boolean }>(counted: Count, gain: number): Count {
  return counted.isAtLeast ? counted : { ...counted, count: Math.max(0, counted.count + gain) };
}
