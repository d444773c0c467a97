import type { Actor } from '../../ground/catalog/actor.ts';
import type { Tx } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { MessageId, TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { hasTicket } from './queries.ts';

type Message = { workspaceId: WorkspaceId; ticketId: TicketId; messageId: MessageId };

/**
 * Marks a ticket as unread for members because of a stored message.
 * @param except the member who wrote the message, and so knows it
 */
export async function makeUnread(tx: Tx, message: Message, except: UserId | null = null): Promise<void> {
  await insertUnread(tx, message, sql`m.user_id is distinct from ${except}::uuid`);
}

/** Does the same for those of the given people who are members. */
export async function makeUnreadFor(
  tx: Tx,
  message: Message,
  { userIds, except }: { userIds: readonly UserId[]; except?: UserId | null },
): Promise<void> {
  const others = userIds.filter((userId) => userId !== except);
  if (others.length > 0) await insertUnread(tx, message, sql`m.user_id = any(${others}::uuid[])`);
}

async function insertUnread(tx: Tx, { workspaceId, ticketId, messageId }: Message, forWhom: Sql): Promise<void> {
  await tx.run(sql`
    insert into unread_tickets (workspace_id, user_id, ticket_id, message_id, arrived_at)
    select m.workspace_id, m.user_id, ${ticketId}::uuid, n.id, ${arrivalOf('n')}
    from members m
    join messages n on n.workspace_id = ${workspaceId} and n.id = ${messageId}
    where m.workspace_id = ${workspaceId} and m.removed_at is null and ${forWhom}
    on conflict (workspace_id, user_id, ticket_id)
      do update set message_id = excluded.message_id, arrived_at = excluded.arrived_at`);
}

/** When a message became visible. Messages from before the column have only the time of writing. */
function arrivalOf(message: 'm' | 'n'): Sql {
  return message === 'm' ? sql`coalesce(m.arrived_at, m.created_at)` : sql`coalesce(n.arrived_at, n.created_at)`;
}

/**
 * Marks a ticket as seen by the actor up to a message, which may have moved to another ticket since. Throws 404.
 * @returns whether the ticket stays unread because of something newer
 */
export async function markSeen(
  tx: Tx,
  actor: Actor,
  { ticketId, messageId }: { ticketId: TicketId; messageId: MessageId },
): Promise<boolean> {
  const { workspaceId, userId } = actor;
  if (!(await hasTicket(tx, actor, ticketId))) throw new AppError('ticket.not_found');
  const seen = await tx.maybe<{ arrivedAt: string }>(sql`
    select ${arrivalOf('m')}::text as "arrivedAt"
    from messages m
    where m.workspace_id = ${workspaceId} and m.id = ${messageId} and ${ofVisible(actor, 'm.ticket_id')}`);
  if (seen === undefined) throw new AppError('message.not_found');
  await tx.run(sql`
    delete from unread_tickets
    where workspace_id = ${workspaceId} and user_id = ${userId} and ticket_id = ${ticketId}
      and arrived_at <= ${seen.arrivedAt}::timestamptz`);
  const left = await tx.maybe(sql`
    select from unread_tickets u
    where u.workspace_id = ${workspaceId} and u.user_id = ${userId} and u.ticket_id = ${ticketId}
      and ${ofVisible(actor, 'u.ticket_id')}`);
  return left !== undefined;
}

/** Marks a ticket as unread for the actor alone, until they see its newest message. Throws 404. */
export async function markUnseen(tx: Tx, actor: Actor, ticketId: TicketId): Promise<boolean> {
  const { workspaceId, userId } = actor;
  if (!(await hasTicket(tx, actor, ticketId))) throw new AppError('ticket.not_found');
  const newest = await tx.maybe<{ id: MessageId }>(sql`
    select m.id
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and ${ofVisible(actor, 'm.ticket_id')}
    order by ${arrivalOf('m')} desc, m.id desc
    limit 1`);
  if (newest === undefined) return false;
  await makeUnreadFor(tx, { workspaceId, ticketId, messageId: newest.id }, { userIds: [userId] });
  return true;
}

/** Closed, archived and merged tickets are unread for nobody. */
export async function endUnread(tx: Tx, workspaceId: WorkspaceId, ticketId: TicketId): Promise<void> {
  await tx.run(sql`delete from unread_tickets where workspace_id = ${workspaceId} and ticket_id = ${ticketId}`);
}

/** Makes the target of a merge unread for everyone for whom a merged ticket was unread. */
export async function carryUnread(
  tx: Tx,
  workspaceId: WorkspaceId,
  { from, to }: { from: readonly TicketId[]; to: TicketId },
): Promise<void> {
  await moveUnread(tx, workspaceId, { which: sql`ticket_id = any(${from}::uuid[])`, to });
}

/** Makes the target unread for everyone for whom the moved messages were unread. Call it before moving them. */
export async function carryUnreadOf(
  tx: Tx,
  workspaceId: WorkspaceId,
  { messageIds, to }: { messageIds: readonly MessageId[]; to: TicketId },
): Promise<void> {
  const theirTickets = sql`
    select m.ticket_id from messages m where m.workspace_id = ${workspaceId} and m.id = any(${messageIds}::uuid[])`;
  const which = sql`ticket_id in (${theirTickets}) and message_id = any(${messageIds}::uuid[])`;
  await moveUnread(tx, workspaceId, { which, to });
}

async function moveUnread(
  tx: Tx,
  workspaceId: WorkspaceId,
  { which, to }: { which: Sql; to: TicketId },
): Promise<void> {
  await tx.run(sql`
    with gone as (
      delete from unread_tickets
      where workspace_id = ${workspaceId} and ${which}
      returning user_id, message_id, arrived_at
    )
    insert into unread_tickets (workspace_id, user_id, ticket_id, message_id, arrived_at)
    select ${workspaceId}::uuid, g.user_id, ${to}::uuid, (array_agg(g.message_id order by g.arrived_at desc))[1],
      max(g.arrived_at)
    from gone g
    group by g.user_id
    on conflict (workspace_id, user_id, ticket_id) do update
      set message_id = excluded.message_id, arrived_at = excluded.arrived_at
      where unread_tickets.arrived_at < excluded.arrived_at`);
}

/** Deletes the unread marks of a member who leaves. */
export async function dropUnreadOf(
  tx: Tx,
  { workspaceId, userId }: { workspaceId: WorkspaceId; userId: UserId },
): Promise<void> {
  await tx.run(sql`delete from unread_tickets where workspace_id = ${workspaceId} and user_id = ${userId}`);
}

export type UnreadMark = { userId: UserId; messageId: MessageId };

/** The unread marks of `tickets t`, as JSON that `bringBackUnread` takes. */
export function unreadMarks(workspaceId: WorkspaceId): Sql {
  return sql`(
    select coalesce(json_agg(json_build_object('userId', u.user_id, 'messageId', u.message_id)), '[]')
    from unread_tickets u
    where u.workspace_id = ${workspaceId} and u.ticket_id = t.id
  )`;
}

/** Makes a shown ticket unread again for members, unless a newer message has made it unread meanwhile. */
export async function bringBackUnread(
  tx: Tx,
  { workspaceId, ticketId }: Pick<Message, 'workspaceId' | 'ticketId'>,
  marks: readonly UnreadMark[],
): Promise<void> {
  if (marks.length === 0) return;
  await tx.run(sql`
    insert into unread_tickets (workspace_id, user_id, ticket_id, message_id, arrived_at)
    select m.workspace_id, m.user_id, ${ticketId}::uuid, n.id, ${arrivalOf('n')}
    from unnest(${marks.map(({ userId }) => userId)}::uuid[], ${marks.map(({ messageId }) => messageId)}::uuid[])
      as x (user_id, message_id)
    join members m on m.workspace_id = ${workspaceId} and m.user_id = x.user_id and m.removed_at is null
    join messages n on n.workspace_id = ${workspaceId} and n.id = x.message_id
    where exists (
      select from tickets t
      where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and t.status <> 'closed' and t.archived_at is null
    )
    on conflict (workspace_id, user_id, ticket_id) do nothing`);
}
