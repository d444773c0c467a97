import { onlineManager } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import type { Ticket } from '../api/client.ts';
import { ticketEventsQuery, ticketQuery } from './queries.ts';
import { ticketKey } from './rows.ts';

type Neighbour = Pick<Ticket, 'id' | 'ticketNumber'>;

/** So long does a person rest on a row before its ticket is read ahead. */
const restMs = 60;
/** The live stream marks tickets that change meanwhile, so that these stay good for long. */
const freshMs = 5 * 60_000;

/**
 * Reads the tickets ahead that are likely to be opened next: those around the row that has the focus, and the one under the
 * pointer. Reads that are no longer wanted are cancelled.
 */
export function createTicketWarmer(workspaceId: string) {
  let near: readonly Neighbour[] = [];
  let hovered: readonly Neighbour[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const underWay = new Set<number>();

  const warm = async ({ id, ticketNumber }: Neighbour) => {
    if (underWay.has(ticketNumber)) return;
    underWay.add(ticketNumber);
    await queryClient.prefetchQuery({ ...ticketQuery(workspaceId, ticketNumber), staleTime: freshMs });
    // One after the other: of each ticket no more than one request is under way.
    if (underWay.has(ticketNumber))
      await queryClient.prefetchQuery({ ...ticketEventsQuery(workspaceId, { id, ticketNumber }), staleTime: freshMs });
    underWay.delete(ticketNumber);
  };
  const update = () => {
    clearTimeout(timer);
    const wanted = [...near, ...hovered];
    for (const number of underWay) if (!wanted.some(({ ticketNumber }) => ticketNumber === number)) cancel(number);
    timer = setTimeout(() => {
      if (canReadAhead()) for (const neighbour of wanted) void warm(neighbour);
    }, restMs);
  };
  const cancel = (number: number) => {
    underWay.delete(number);
    // What the screen shows is read on.
    void queryClient.cancelQueries({ queryKey: ticketKey(workspaceId, number), exact: true, type: 'inactive' });
  };
  return {
    /** @param tickets the likeliest first */
    warmNear: (tickets: readonly Neighbour[]) => {
      if (numbersOf(tickets) === numbersOf(near)) return;
      near = tickets;
      update();
    },
    warmHovered: (ticket: Neighbour | undefined) => {
      hovered = ticket === undefined ? [] : [ticket];
      update();
    },
    stop: () => {
      near = [];
      hovered = [];
      update();
    },
  };
}

function numbersOf(tickets: readonly Neighbour[]): string {
  return tickets.map(({ ticketNumber }) => ticketNumber).join();
}

/** Without a network nothing can be read; people who save data pay for what they never look at. */
function canReadAhead(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  return onlineManager.isOnline() && connection?.saveData !== true;
}
