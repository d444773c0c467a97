import { replaceEqualDeep } from '@tanstack/react-query';
import { queryClient } from '../../api/cache.ts';
import type { Ticket } from '../../api/client.ts';
import { hasRead } from '../../api/position.ts';
import type { Start } from '../../api/start.ts';
import { belongs, isDecidable } from '../filters.ts';
import { looker } from '../list-places.ts';
import { type ListParameters, listOfMailbox, listOfTeam, readQuery, standardLists } from '../lists.ts';

type Counts = Start['counts'];
/** A ticket before and after a change; undefined before it was made. */
export type Move = { from: Ticket | undefined; to: Ticket };
/**
 * A change that the stream has told, and the id of its event. An event brings its ticket as it is now: `isAhead` where
 * that has later changes as well.
 */
export type ToldMove = Move & { eventId: string; isAhead: boolean };

export const countsKey = (workspaceId: string) => ['workspace', workspaceId, 'counts'] as const;

/** What the stream has told since the moment of the counts on the screen. */
const toldKey = (workspaceId: string) => ['workspace', workspaceId, 'told-moves'] as const;

let ownMoves = 0;

/** How often the counts on the screen have followed the member's own changes so far. */
export function ownMovesShown(): number {
  return ownMoves;
}

/** Lets the counts on the screen follow the member's own changes, until the service counts again. */
export function showOwnMoves(workspaceId: string, moves: readonly Move[]): void {
  if (showMoves(workspaceId, moves)) ownMoves += 1;
}

/**
 * Lets the counts on the screen follow what the stream tells, but for what the service has counted already.
 * @returns whether the counts may lack a change, which no event moves any more
 */
export function showToldMoves(workspaceId: string, told: readonly ToldMove[]): boolean {
  const counts = queryClient.getQueryData<Counts>(countsKey(workspaceId));
  const before = uncounted(counts, toldMoves(workspaceId));
  // A stream that begins anew may repeat events.
  const known = new Set(before.map(({ eventId }) => eventId));
  const news = uncounted(counts, told).filter(({ eventId }) => !known.has(eventId));
  queryClient.setQueryData<readonly ToldMove[]>(toldKey(workspaceId), [...before, ...news]);
  showMoves(workspaceId, news);
  return counts !== undefined && isBehind(counts, told);
}

/** What the service has counted, with what the stream has told since and with these changes of the member. */
export function corrected(workspaceId: string, counts: Counts, own: readonly Move[]): Counts {
  return withMoves(workspaceId, counts, [...uncounted(counts, toldMoves(workspaceId)), ...own]);
}

/** Whether a count that was read may lack a change of a ticket that the counts on the screen have. */
export function mayLack(workspaceId: string, counts: Counts): boolean {
  const shown = queryClient.getQueryData<Counts>(countsKey(workspaceId));
  return isBehind(counts, uncounted(shown, toldMoves(workspaceId)));
}

/** Whether the counts have read an event, and perhaps not the later changes that its ticket came with. */
function isBehind(counts: Counts, told: readonly ToldMove[]): boolean {
  return told.some(({ eventId, isAhead }) => isAhead && hasRead(counts.position, eventId));
}

function toldMoves(workspaceId: string): readonly ToldMove[] {
  return queryClient.getQueryData<readonly ToldMove[]>(toldKey(workspaceId)) ?? [];
}

function uncounted(counts: Counts | undefined, told: readonly ToldMove[]): readonly ToldMove[] {
  return counts === undefined ? told : told.filter(({ eventId }) => !hasRead(counts.position, eventId));
}

/** @returns whether a count has changed */
function showMoves(workspaceId: string, moves: readonly Move[]): boolean {
  const counts = queryClient.getQueryData<Counts>(countsKey(workspaceId));
  const next = counts && withMoves(workspaceId, counts, moves);
  if (next === counts) return false;
  queryClient.setQueryData(countsKey(workspaceId), next);
  return true;
}

/** The count of a list; undefined where the list has none, or an earlier release counted. */
export function countIn<Lists extends Counts['lists']>(
  lists: Lists | undefined,
  counted: keyof Lists | undefined,
): Lists[keyof Lists] | undefined {
  return counted === undefined ? undefined : lists?.[counted];
}

/** @returns the same object where no ticket enters or leaves a counted list */
function withMoves(workspaceId: string, counts: Counts, moves: readonly Move[]): Counts {
  const now = looker(workspaceId);
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
  // An earlier release counted neither.
  const mailboxes = counts.mailboxes?.map((mailbox) => plus(mailbox, gainOf(listOfMailbox(mailbox.mailboxId))));
  const teams = counts.teams?.map(({ teamId, open, unassigned }) => {
    const list = listOfTeam(teamId);
    const [isOpen, isFree] = [gainOf(list), gainOf({ ...list, assignee: ['none'] })];
    return { teamId, open: plus(open, isOpen), unassigned: plus(unassigned, isFree) };
  });
  return replaceEqualDeep(counts, { ...counts, lists, views, mailboxes, teams });
}

/** The service counts up to a limit; beyond that a ticket more or less is unknown. */
function plus<Count extends { count: number; isAtLeast: boolean }>(counted: Count, gain: number): Count {
  return counted.isAtLeast ? counted : { ...counted, count: Math.max(0, counted.count + gain) };
}
