import { queryClient } from '../api/cache.ts';
import { ApiError, api, dataOf, inWorkspace, type Ticket } from '../api/client.ts';
import { refreshAskedLists } from './list-places.ts';
import { receiveRows, ticketKey } from './rows.ts';
import type { Refusal } from './send-change.ts';

export type BlockedKind = 'address' | 'domain';
type Block = { workspaceId: string; tickets: readonly Ticket[]; kind: BlockedKind; evenShared: boolean };

/** The address of a ticket's requester, or its domain. */
export function senderOf({ requester }: Ticket, kind: BlockedKind): string {
  const email = requester?.email ?? '';
  return kind === 'address' ? email : email.slice(email.lastIndexOf('@') + 1);
}

/**
 * Marks tickets as spam and blocks their requesters, one request after the other.
 * @returns the tickets that the service refused
 */
export async function blockRequesters({ workspaceId, tickets, kind, evenShared }: Block): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  for (const { id, ticketNumber } of tickets) {
    try {
      const ticket = await dataOf(
        api.POST('/v1/workspaces/{workspaceId}/tickets/{ticketId}/spam', {
          params: { path: { workspaceId, ticketId: id }, header: inWorkspace(workspaceId).header },
          body: { blockSender: kind, evenShared },
        }),
      );
      receive(workspaceId, ticket);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500 || error.key === 'blocked_sender.shared_domain')
        throw error;
      refusals.push({ id, ticketNumber, reason: error.message });
    }
  }
  return refusals;
}

/** Brings a ticket back from spam, and takes its requester off the block list. */
export async function unblockRequester(workspaceId: string, { id }: Ticket): Promise<void> {
  const ticket = await dataOf(
    api.POST('/v1/workspaces/{workspaceId}/tickets/{ticketId}/not-spam', {
      params: { path: { workspaceId, ticketId: id }, header: inWorkspace(workspaceId).header },
      body: { unblockSender: true },
    }),
  );
  receive(workspaceId, ticket);
}

function receive(workspaceId: string, ticket: Ticket): void {
  receiveRows(workspaceId, [ticket]);
  void queryClient.invalidateQueries({ queryKey: [...ticketKey(workspaceId, ticket.ticketNumber), 'events'] });
  void queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'blocked-senders'] });
  refreshAskedLists(workspaceId);
}
