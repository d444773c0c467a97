import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ApiError, api, dataOf, inWorkspace, type Ticket, type TicketEvent } from '../api/client.ts';
import type { ListParameters } from './lists.ts';

const pageSize = 50;

export function ticketsQuery(workspaceId: string, list: ListParameters) {
  return infiniteQueryOptions({
    queryKey: ['workspace', workspaceId, 'tickets', list],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) => {
      const query = {
        ...list,
        limit: pageSize,
        count: false,
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      };
      const asked = api.GET('/v1/workspaces/{workspaceId}/tickets', {
        // The document types parameters that may be repeated as their single values.
        params: { ...inWorkspace(workspaceId), query: query as never },
      });
      const { response } = await asked;
      return { tickets: await dataOf(asked), nextCursor: cursorIn(response.headers.get('link')) };
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** The cursor of the next page in a `Link` header (RFC 8288). */
function cursorIn(link: string | null): string | undefined {
  const address = /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1];
  if (address === undefined) return undefined;
  return new URL(address, window.location.origin).searchParams.get('cursor') ?? undefined;
}

export function ticketQuery(workspaceId: string, number: number) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'ticket', number],
    queryFn: () =>
      dataOf(
        api.GET('/v1/workspaces/{workspaceId}/tickets/number/{ticketNumber}', {
          params: {
            path: { workspaceId, ticketNumber: String(number) },
            header: inWorkspace(workspaceId).header,
          },
        }),
      ),
    retry: (count, error) => count < 3 && !(error instanceof ApiError),
  });
}

export function membersQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'members'],
    queryFn: () =>
      dataOf(
        api.GET('/v1/workspaces/{workspaceId}/members', {
          params: { ...inWorkspace(workspaceId), query: { limit: 200 } },
        }),
      ),
    staleTime: 5 * 60_000,
  });
}

/** What happened to a ticket, oldest first; of a very long past the first pages. */
export function ticketEventsQuery(workspaceId: string, { id, ticketNumber }: Pick<Ticket, 'id' | 'ticketNumber'>) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'ticket', ticketNumber, 'events', id],
    queryFn: async () => {
      const events: TicketEvent[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: 200, ...(cursor === undefined ? {} : { cursor }) };
        const page = await dataOf(
          api.GET('/v1/workspaces/{workspaceId}/tickets/{ticketId}/events', {
            params: { path: { workspaceId, ticketId: id }, header: inWorkspace(workspaceId).header, query },
          }),
        );
        events.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== undefined && events.length < eventsMax);
      return events;
    },
  });
}

const eventsMax = 1_000;
