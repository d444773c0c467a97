import { queryClient } from '../api/cache.ts';
import { ApiError, inWorkspace, type Ticket } from '../api/client.ts';
import { refreshAskedLists } from './list-places.ts';
import { receiveRows, ticketKey } from './rows.ts';
import type { Refusal } from './send-change.ts';

export type BlockedKind = 'address' | 'domain';
type Block = { workspaceId: string; tickets: readonly Ticket[]; kind: BlockedKind; agreed: readonly string[] };

/** The address of a ticket's requester, or its domain. */
export function senderOf({ requester }: Ticket, kind: BlockedKind): string {
  const email = requester?.email ?? '';
  return kind === 'address' ? email : email.slice(email.lastIndexOf('@') + 1);
}

/**
 * Marks tickets as spam and blocks their requesters, one request after the other.
 * @param agreed the shared domains that the person agreed to block
 * @returns the tickets that the service refused
 * @throws where a domain is shared and not agreed to
 */
export async function blockRequesters({ workspaceId, tickets, kind, agreed }: Block): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  for (const { id, ticketNumber } of tickets) {
    try {
      const block = (evenShared: boolean) =>
        inWorkspace(workspaceId).POST('/tickets/{ticketId}/spam', {
          path: { ticketId: id },
          body: { blockSender: kind, evenShared },
        });
      const ticket = await block(false).catch((error: Error) => {
        if (!agreed.includes(sharedIn(error) ?? '')) throw error;
        return block(true);
      });
      receive(workspaceId, ticket);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500 || sharedIn(error) !== undefined) throw error;
      refusals.push({ id, ticketNumber, reason: error.message });
    }
  }
  return refusals;
}

/** The domain that the service blocks only on a second request, because anybody can have an address there. */
export function sharedIn(error: Error | null): string | undefined {
  if (!(error instanceof ApiError) || error.key !== 'blocked_sender.shared_domain') return undefined;
  return String(error.params.domain);
}

/** Brings a ticket back from spam, and takes its requester off the block list. */
export async function unblockRequester(workspaceId: string, { id }: Ticket): Promise<void> {
  const ticket = await inWorkspace(workspaceId).POST('/tickets/{ticketId}/not-spam', {
    path: { ticketId: id },
    body: { unblockSender: true },
  });
  receive(workspaceId, ticket);
}

function receive(workspaceId: string, ticket: Ticket): void {
  receiveRows(workspaceId, [ticket]);
  void queryClient.invalidateQueries({ queryKey: [...ticketKey(workspaceId, ticket.ticketNumber), 'events'] });
  void queryClient.invalidateQueries({ queryKey: ['workspace', workspaceId, 'blocked-senders'] });
  refreshAskedLists(workspaceId);
}
