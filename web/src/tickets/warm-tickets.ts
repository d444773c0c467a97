import { onlineManager } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import type { Ticket } from '../api/client.ts';
import { teamsQuery, ticketEventsQuery, ticketQuery } from './queries.ts';
import { ticketKey } from './rows.ts';

type Neighbour = Pick<Ticket, 'id' | 'ticketNumber' | 'teamId'>;

/** How long the focus or pointer rests on a row before its ticket is prefetched. */
const restMs = 60;
/** The open ticket and the next two: a key that is held down comes before the answer for the next ticket. */
const surelyNext = 3;
/** Long, because the live stream invalidates tickets that change. */
const freshMs = 5 * 60_000;

/**
 * Prefetches the tickets that the person is likely to open next: those around the focused row, and the ticket under the
 * pointer. Cancels prefetches that are no longer wanted.
 */
export function createTicketWarmer(workspaceId: string) {
  let near: readonly Neighbour[] = [];
  let hovered: readonly Neighbour[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const underWay = new Set<number>();
  const readAhead = (tickets: readonly Neighbour[]) => tickets.filter(({ teamId }) => !isAudited(workspaceId, teamId));

  const warm = async ({ id, ticketNumber }: Neighbour) => {
    if (underWay.has(ticketNumber)) return;
    underWay.add(ticketNumber);
    await queryClient.prefetchQuery({ ...ticketQuery(workspaceId, ticketNumber), staleTime: freshMs });
    // One request for each ticket at a time. A cancel in between skips the events.
    if (underWay.has(ticketNumber))
      await queryClient.prefetchQuery({ ...ticketEventsQuery(workspaceId, { id, ticketNumber }), staleTime: freshMs });
    underWay.delete(ticketNumber);
  };
  const update = () => {
    clearTimeout(timer);
    const wanted = [...near, ...hovered];
    for (const number of underWay) if (!wanted.some(({ ticketNumber }) => ticketNumber === number)) cancel(number);
    if (!canReadAhead()) return;
    // A person who holds the key down opens each ticket in turn. Without a rest, only the next ticket is sure.
    for (const neighbour of near.slice(0, surelyNext)) void warm(neighbour);
    timer = setTimeout(() => {
      for (const neighbour of wanted) void warm(neighbour);
    }, restMs);
  };
  const cancel = (number: number) => {
    underWay.delete(number);
    // `inactive` spares a ticket that is on the screen.
    void queryClient.cancelQueries({ queryKey: ticketKey(workspaceId, number), exact: true, type: 'inactive' });
  };
  return {
    /** @param tickets the likeliest first */
    warmNear: (tickets: readonly Neighbour[]) => {
      if (numbersOf(readAhead(tickets)) === numbersOf(near)) return;
      near = readAhead(tickets);
      update();
    },
    warmHovered: (ticket: Neighbour | undefined) => {
      hovered = ticket === undefined ? [] : readAhead([ticket]);
      update();
    },
    stop: () => {
      near = [];
      hovered = [];
      update();
    },
  };
}

/** Whether the audit log names who opens the ticket: an owner who is outside its restricted team. */
function isAudited(workspaceId: string, teamId: string | null): boolean {
  const teams = queryClient.getQueryData(teamsQuery(workspaceId).queryKey) ?? [];
  return teams.some(({ id, visibility, isMember }) => id === teamId && visibility === 'members' && !isMember);
}

function numbersOf(tickets: readonly Neighbour[]): string {
  return tickets.map(({ ticketNumber }) => ticketNumber).join();
}

/** No prefetching without a network, or for people who save data. */
function canReadAhead(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  return onlineManager.isOnline() && connection?.saveData !== true;
}
