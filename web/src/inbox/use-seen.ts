import { useEffect } from 'react';
import { inWorkspace, type TicketWithMessages } from '../api/client.ts';
import { readNotificationsOf } from '../notifications/queries.ts';
import { receiveOwn } from '../tickets/rows.ts';

/** Marks the shown ticket as read up to its newest message, once its tab is visible. */
export function useSeen(workspaceId: string, ticket: TicketWithMessages | undefined): void {
  const ticketId = ticket?.id;
  const newestId = ticket?.messages.at(-1)?.id;
  useEffect(() => {
    if (ticketId === undefined || newestId === undefined) return undefined;
    const tell = () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', tell);
      receiveOwn(workspaceId, ticketId, { unread: false });
      readNotificationsOf(workspaceId, ticketId).catch(() => undefined);
      // A failed request is made up for when the ticket is opened again.
      inWorkspace(workspaceId)
        .PUT('/tickets/{ticketId}/seen', { path: { ticketId }, body: { messageId: newestId } })
        .catch(() => undefined);
    };
    document.addEventListener('visibilitychange', tell);
    tell();
    return () => document.removeEventListener('visibilitychange', tell);
  }, [workspaceId, ticketId, newestId]);
}

/** Makes a ticket unread for this member. */
export async function markUnread(workspaceId: string, ticketId: string): Promise<void> {
  receiveOwn(workspaceId, ticketId, { unread: true });
  const { unread } = await inWorkspace(workspaceId).DELETE('/tickets/{ticketId}/seen', { path: { ticketId } });
  receiveOwn(workspaceId, ticketId, { unread });
}
