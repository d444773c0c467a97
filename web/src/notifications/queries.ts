import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { queryClient } from '../api/cache.ts';
import { inWorkspace } from '../api/client.ts';
import { byCursor } from '../api/pages.ts';
import type { components } from '../api/schema.d.ts';
import { paths } from '../paths.ts';
import { listDefault, writeList } from '../tickets/lists.ts';
import { findRow } from '../tickets/rows.ts';

export type Notification = components['schemas']['Notification'];

const notificationsKey = (workspaceId: string) => ['workspace', workspaceId, 'notifications'];

/** How many notifications a person has not read. */
export function unreadCountQuery(workspaceId: string) {
  return queryOptions({
    queryKey: [...notificationsKey(workspaceId), 'unread'],
    queryFn: () => inWorkspace(workspaceId).GET('/notifications/unread-count'),
    refetchInterval: 60_000,
    refetchOnWindowFocus: true,
  });
}

export function notificationsQuery(workspaceId: string, unreadOnly: boolean) {
  return infiniteQueryOptions({
    queryKey: [...notificationsKey(workspaceId), 'list', unreadOnly],
    ...byCursor,
    queryFn: ({ pageParam: cursor }) =>
      inWorkspace(workspaceId).GET('/notifications', {
        query: { limit: 50, ...(unreadOnly && { unread: true }), ...(cursor !== undefined && { cursor }) },
      }),
    // Refetched whenever the panel opens, so that it shows notifications that came while it was closed.
    staleTime: 0,
  });
}

export async function readNotifications(workspaceId: string, ids: readonly string[]): Promise<void> {
  for (const notificationId of ids)
    await inWorkspace(workspaceId).PATCH('/notifications/{notificationId}/read', { path: { notificationId } });
  await queryClient.invalidateQueries({ queryKey: notificationsKey(workspaceId) });
}

export async function readAllNotifications(workspaceId: string): Promise<void> {
  await inWorkspace(workspaceId).POST('/notifications/read-all');
  await queryClient.invalidateQueries({ queryKey: notificationsKey(workspaceId) });
}

/** Marks the notifications of an open ticket as read. */
export async function readNotificationsOf(workspaceId: string, ticketId: string): Promise<void> {
  // At the start the count may still be on its way.
  const unread = await queryClient.ensureQueryData(unreadCountQuery(workspaceId));
  if (unread.count === 0) return;
  const { items } = await inWorkspace(workspaceId).GET('/notifications', { query: { limit: 50, unread: true } });
  const ids = items.filter((told) => told.referenceId === ticketId && !isOfMailbox(told)).map(({ id }) => id);
  if (ids.length > 0) await readNotifications(workspaceId, ids);
}

/** Whether a notification gathers, so that it tells of several tickets of a mailbox. */
export function isOfMailbox({ type, count }: Pick<Notification, 'type' | 'count'>): boolean {
  return count > 1 && gathers(type);
}

/** The types that tell of several tickets of a mailbox in one notification. */
export const gatheredTypes = ['new_ticket', 'unassigned_reply'] as const;

export function gathers(type: Notification['type']): boolean {
  return gatheredTypes.some((gathered) => gathered === type);
}

/** The page that a notification is about: its ticket, mailbox or team, or the list of the tickets. */
export async function addressOf(workspaceId: string, notification: Notification): Promise<string> {
  const { type, referenceId, mailboxId } = notification;
  if (isOfMailbox(notification)) {
    const ofNobody = type === 'unassigned_reply' && { assignee: ['none'] };
    return paths.list(writeList({ ...listDefault, ...ofNobody, ...(mailboxId !== null && { mailbox: [mailboxId] }) }));
  }
  if (type === 'rule_paused') return `${paths.settings('rules')}/${referenceId}`;
  if (type === 'team') return `${paths.settings('teams')}?team=${referenceId}`;
  return type === 'mailbox' ? paths.mailbox(referenceId) : paths.ticket(await numberOf(workspaceId, referenceId));
}

async function numberOf(workspaceId: string, ticketId: string): Promise<number> {
  const known = findRow(workspaceId, ticketId);
  if (known !== undefined) return known.ticketNumber;
  return (await inWorkspace(workspaceId).GET('/tickets/{ticketId}', { path: { ticketId } })).ticketNumber;
}
