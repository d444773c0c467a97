import { useEffect } from 'react';
import { api, dataOf, inWorkspace, type TicketWithMessages } from '../api/client.ts';
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
      const params = { path: { workspaceId, ticketId }, header: inWorkspace(workspaceId).header };
      // A failed request is made up for when the ticket is opened again.
      dataOf(
        api.PUT('/v1/workspaces/{workspaceId}/tickets/{ticketId}/seen', { params, body: { messageId: newestId } }),
      ).catch(() => undefined);
    };
    document.addEventListener('visibilitychange', tell);
    tell();
    return () => document.removeEventListener('visibilitychange', tell);
  }, [workspaceId, ticketId, newestId]);
}

/** Makes a ticket unread for this member. */
export async function markUnread(workspaceId: string, ticketId: string): Promise<void> {
  receiveOwn(workspaceId, ticketId, { unread: true });
  const params = { path: { workspaceId, ticketId }, header: inWorkspace(workspaceId).header };
  const { unread } = await dataOf(api.DELETE('/v1/workspaces/{workspaceId}/tickets/{ticketId}/seen', { params }));
  receiveOwn(workspaceId, ticketId, { unread });
}
