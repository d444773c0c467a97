import { queryClient } from '../api/cache.ts';
import { api, dataOf, inWorkspace, type Ticket } from '../api/client.ts';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import { dropRows, ticketKey } from './rows.ts';

/**
 * Asks, and then deletes tickets in the trash for good, one after the other.
 * @returns whether the person agreed; a ticket that was refused stays, with its reason in a message
 */
export async function purgeTickets(workspaceId: string, tickets: readonly Ticket[]): Promise<boolean> {
  const [first, ...others] = tickets;
  if (first === undefined) return false;
  const question =
    others.length === 0
      ? words('purge.sureOne', { number: first.ticketNumber, subject: first.subject })
      : words('purge.sure', { count: tickets.length });
  if (!window.confirm(question)) return false;
  let purged = 0;
  for (const { id, ticketNumber } of tickets) {
    try {
      await dataOf<unknown>(
        api.POST('/v1/workspaces/{workspaceId}/tickets/{ticketId}/purge', {
          params: { path: { workspaceId, ticketId: id }, header: inWorkspace(workspaceId).header },
        }),
      );
    } catch (error) {
      const reason = error instanceof Error ? error.message : words('error.network');
      showToast(`#${ticketNumber}: ${reason}`, { isBad: true });
      continue;
    }
    purged++;
    queryClient.removeQueries({ queryKey: ticketKey(workspaceId, ticketNumber) });
    dropRows(workspaceId, [id]);
  }
  if (purged > 0) showToast(words('purge.done', { count: purged }));
  return true;
}
