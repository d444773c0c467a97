import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError, api, dataOf, inWorkspace, paramsIn, type Ticket, type TicketEvent } from '../api/client.ts';
import { byCursor, nextCursor } from '../api/pages.ts';
import { readStart, type Start } from '../api/start.ts';
import { type IdPage, listsKey, teamsKey } from './list-places.ts';
import type { ListParameters } from './lists.ts';
import { dropNumber, findRow, receiveRows, rowIn, ticketKey, withRow } from './rows.ts';

const pageSize = 50;

/** The ids of a list, by pages; their rows are read with `useTicketList`. */
export function ticketsQuery(workspaceId: string, list: ListParameters) {
  return infiniteQueryOptions({
    queryKey: [...listsKey(workspaceId), list],
    ...byCursor,
    queryFn: async ({ pageParam, signal }): Promise<IdPage> => {
      const query = {
        ...list,
        limit: pageSize,
        count: false,
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      };
      const asked = api.GET('/v1/workspaces/{workspaceId}/tickets', {
        // openapi.json types repeatable parameters as single values.
        params: { ...paramsIn(workspaceId), query: query as never },
        signal,
      });
      const { response } = await asked;
      const tickets = await dataOf(asked);
      receiveRows(workspaceId, tickets);
      return {
        ids: tickets.map(({ id }) => id),
        nextCursor: nextCursor(response),
      };
    },
  });
}

export function ticketQuery(workspaceId: string, number: number) {
  return queryOptions({
    queryKey: ticketKey(workspaceId, number),
    queryFn: async ({ signal }) => {
      const asked = { path: { ticketNumber: String(number) }, query: { trash: true }, signal };
      const ticket = await inWorkspace(workspaceId)
        .GET('/tickets/number/{ticketNumber}', asked)
        .catch((error: unknown) => {
          if (error instanceof ApiError && error.status === 404) dropNumber(workspaceId, number);
          throw error;
        });
      receiveRows(workspaceId, [rowIn(ticket)]);
      return withRow(ticket, findRow(workspaceId, ticket.id) ?? ticket);
    },
    retry: (count, error) => count < 3 && !(error instanceof ApiError),
  });
}

const foundMax = 20;

/** The tickets that a search finds first. */
export function foundTicketsQuery(workspaceId: string, search: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'found', search],
    queryFn: async ({ signal }) => {
      const query = { search, limit: foundMax, count: false, archived: 'any' } as const;
      const tickets = await inWorkspace(workspaceId).GET('/tickets', { query, signal });
      receiveRows(workspaceId, tickets);
      return tickets;
    },
    enabled: search !== '',
    placeholderData: keepPreviousData,
  });
}

export function membersQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'members'],
    queryFn: () => inWorkspace(workspaceId).GET('/members', { query: { limit: 200 } }),
    staleTime: 5 * 60_000,
  });
}

export function mailboxesQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'mailboxes'],
    queryFn: () => inWorkspace(workspaceId).GET('/mailboxes'),
    staleTime: 60_000,
  });
}

/** The teams of the workspace that the person sees, in their order. */
export function teamsQuery(workspaceId: string) {
  return queryOptions({
    queryKey: teamsKey(workspaceId),
    queryFn: () => inWorkspace(workspaceId).GET('/teams'),
    staleTime: 60_000,
  });
}

/** All tags in use. Events of tagged tickets have it read again. */
export function tagListQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'tag-list'],
    queryFn: () => inWorkspace(workspaceId).GET('/tags'),
  });
}

/** The tags of recent tickets, the most frequent first, and the tags that have a colour. */
export function tagsQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'tags'],
    queryFn: async () => tagsOf(await readStart(workspaceId)),
    staleTime: 10 * 60_000,
  });
}

export const tagsOf = ({ tags, workspace }: Start) => ({ tags, colours: workspace.tagColours });

/** The events of a ticket, oldest first, up to `eventsMax`. */
export function ticketEventsQuery(workspaceId: string, { id, ticketNumber }: Pick<Ticket, 'id' | 'ticketNumber'>) {
  return queryOptions({
    queryKey: ['workspace', workspaceId, 'ticket', ticketNumber, 'events', id],
    queryFn: async () => {
      const events: TicketEvent[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: 200, trash: true, ...(cursor === undefined ? {} : { cursor }) };
        const page = await inWorkspace(workspaceId).GET('/tickets/{ticketId}/events', {
          path: { ticketId: id },
          query,
        });
        events.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== undefined && events.length < eventsMax);
      return events;
    },
  });
}

const eventsMax = 1_000;
