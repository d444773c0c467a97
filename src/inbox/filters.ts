import type { Actor } from '../catalog/actor.ts';
import type { Status } from '../catalog/ticket-status.ts';
import { findContactIds } from '../contacts/queries.ts';
import type { Queryable } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import { invalidRequest } from '../lib/errors.ts';
import { isUuid, type UserId, type WorkspaceId } from '../lib/ids.ts';
import { caseKey } from '../lib/text.ts';
import type { DeliveryStatus } from '../messages/schema.ts';
import { ticketIdsOf } from '../people/contact-tickets.ts';
import { priorityKey, rankOfPriority } from '../tickets/priority.ts';
import type { ListTicketsQuery } from '../tickets/schema.ts';

/** Every filter except the search as a condition on `t`, the workspace first. */
export async function conditionsOf(db: Queryable, actor: Actor, query: ListTicketsQuery, now: Date): Promise<Sql[]> {
  const conditions = filtersOf(actor, query, now);
  if (query.contact !== undefined) {
    const contactIds = await findContactIds(db, actor.workspaceId, query.contact);
    conditions.push(sql`t.id in (${ticketIdsOf(actor.workspaceId, contactIds)})`);
  }
  return conditions;
}

function filtersOf(actor: Actor, query: ListTicketsQuery, now: Date): Sql[] {
  const { workspaceId, userId } = actor;
  const conditions = [sql`t.workspace_id = ${workspaceId}`];
  const { status, archived = 'false', priority, tags } = query;
  if (query.trash === true || query.spam === true) conditions.push(...hiddenOnes(query));
  else {
    // Trash and spam are archived as well.
    if (archived === 'false') conditions.push(sql`t.archived_at is null`);
    else conditions.push(sql`t.trashed_at is null and t.spam_at is null`);
    if (archived === 'true') conditions.push(sql`t.archived_at is not null`);
    if (archived !== 'any' && !status?.includes('closed')) conditions.push(sql`t.merged_into_id is null`);
  }
  if (status !== undefined) {
    const [only] = status;
    conditions.push(only && status.length === 1 ? statusIs[only] : sql`t.status = any(${status}::text[])`);
  }
  if (query.snoozed === true) conditions.push(sql`t.snoozed_until > ${now}`);
  else if (query.snoozed === false || (query.search === undefined && query.trash !== true && query.spam !== true)) {
    conditions.push(sql`(t.snoozed_until is null or t.snoozed_until <= ${now})`);
  }
  if (query.assignee !== undefined) conditions.push(assigneeIs(query.assignee, userId));
  conditions.push(...memberFilters(actor, query), ...ownFilters(query));
  if (priority !== undefined) {
    const key = priorityKey(priority);
    // The index holds the rank, which several names share.
    conditions.push(sql`t.priority_rank = ${rankOfPriority(key)} and t.priority = ${key}`);
  }
  if (query.delivery !== undefined) conditions.push(hasDelivery(workspaceId, query.delivery));
  if (tags !== undefined) conditions.push(hasTags(workspaceId, tags));
  return conditions;
}

function hiddenOnes({ trash, spam }: ListTicketsQuery): Sql[] {
  return [
    trash === true ? sql`t.trashed_at is not null` : sql`t.trashed_at is null`,
    ...(spam === true ? [sql`t.spam_at is not null`] : []),
    sql`t.merged_into_id is null`,
  ];
}

/** Literals instead of parameters, so that a plan that knows no values can use a partial index of open tickets. */
const statusIs: Record<Status, Sql> = {
  open: sql`t.status = 'open'`,
  pending: sql`t.status = 'pending'`,
  closed: sql`t.status = 'closed'`,
};

/** The workspace is an extra key in the index. The leading space keeps the key apart from tags. */
export function hasTags(workspaceId: WorkspaceId, tags: readonly string[]): Sql {
  const keys = [` ${workspaceId}`, ...tags.map(caseKey)];
  return sql`array_append(t.tag_keys, ' ' || t.workspace_id::text) @> ${keys}::text[]`;
}

/**
 * Leaves out problems that are handled. Undelivered mail is rare and has a partial index. The query repeats the index's
 * condition as literals, because a generic plan knows no values.
 * Sent mail is the majority, so each candidate ticket is probed instead. The planner cannot turn this subquery into
 * a join, which would read everything that was ever sent before the first row.
 */
function hasDelivery(workspaceId: WorkspaceId, statuses: readonly DeliveryStatus[]): Sql {
  if (statuses.includes('sent')) {
    return sql`(
      select true
      from messages m
      where m.workspace_id = ${workspaceId} and m.ticket_id = t.id and m.delivery_status = any(${statuses}::text[])
        and m.delivery_handled_at is null
      limit 1)`;
  }
  return sql`t.id in (
    select m.ticket_id
    from messages m
    where m.workspace_id = ${workspaceId} and m.delivery_status = any(${statuses}::text[])
      and m.delivery_handled_at is null
      and m.delivery_status in ('queued', 'sending', 'failed', 'bounced', 'uncertain', 'cancelled'))`;
}

/** Filters that depend on the member. */
function memberFilters({ workspaceId, userId }: Actor, { unread, following, mentioned }: ListTicketsQuery): Sql[] {
  const isAmong = (wanted: boolean | undefined, tickets: Sql): Sql[] => {
    if (wanted === undefined) return [];
    return [wanted ? sql`t.id in (${tickets})` : sql`t.id not in (${tickets})`];
  };
  return [
    ...isAmong(
      unread,
      sql`select u.ticket_id from unread_tickets u where u.workspace_id = ${workspaceId} and u.user_id = ${userId}`,
    ),
    ...isAmong(
      following,
      sql`select f.ticket_id from ticket_followers f where f.workspace_id = ${workspaceId} and f.user_id = ${userId}`,
    ),
    ...isAmong(
      mentioned,
      sql`
        select n.reference_id from notifications n
        where n.workspace_id = ${workspaceId} and n.user_id = ${userId} and n.type = 'mention'`,
    ),
  ];
}

/** Filters on the ticket's own columns. */
function ownFilters(query: ListTicketsQuery): Sql[] {
  const { ids, mailbox, hasAttachment, createdFrom, createdTo, lastMessageFrom, lastMessageTo } = query;
  return [
    ...(ids === undefined ? [] : [sql`t.id = any(${ids}::uuid[])`]),
    ...(mailbox === undefined ? [] : [sql`t.mailbox_id = any(${mailbox}::uuid[])`]),
    ...(hasAttachment === undefined ? [] : [hasAttachment ? sql`t.attachment_count > 0` : sql`t.attachment_count = 0`]),
    ...(createdFrom === undefined ? [] : [sql`t.created_at >= ${createdFrom}`]),
    ...(createdTo === undefined ? [] : [sql`t.created_at < ${createdTo}`]),
    ...(lastMessageFrom === undefined ? [] : [sql`t.last_message_at >= ${lastMessageFrom}`]),
    ...(lastMessageTo === undefined ? [] : [sql`t.last_message_at < ${lastMessageTo}`]),
    ...(query.sort === 'waitingSince' ? [sql`t.waiting_since is not null`] : []),
  ];
}

function assigneeIs(assignees: readonly string[], userId: UserId): Sql {
  const asked = assignees.map((assignee) => assignee.trim().toLowerCase());
  const ids = asked.filter((one) => one !== 'none').map((one) => (one === 'me' ? userId : one));
  if (!ids.every(isUuid)) throw invalidRequest({ path: 'query.assignee', key: 'not_an_assignee' });
  const isOne = ids.length === 1 ? sql`t.assignee_id = ${ids[0]}` : sql`t.assignee_id = any(${ids}::uuid[])`;
  if (ids.length === asked.length) return isOne;
  return ids.length === 0 ? sql`t.assignee_id is null` : sql`(t.assignee_id is null or ${isOne})`;
}
