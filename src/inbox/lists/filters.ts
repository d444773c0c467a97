import { Type } from 'typebox';
import { shownMembers } from '../../access/teams/shown-figures.ts';
import type { Doer } from '../../ground/catalog/doer.ts';
import type { Status } from '../../ground/catalog/ticket-status.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { type Reading, teamsOf, visible } from '../../ground/database/visible.ts';
import { ids, oneOf, uuid } from '../../ground/http/schema.ts';
import { invalidRequest } from '../../ground/lib/errors.ts';
import { type ContactId, isUuid, nilId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { isTimestamp } from '../../ground/lib/timestamp.ts';
import { findContactIds } from '../../helpdesk/contacts/queries.ts';
import { type DeliveryStatus, deliveryStatuses } from '../../helpdesk/messages/schema.ts';
import { ticketIdsOf } from '../../helpdesk/people/contact-tickets.ts';
import { isGood } from '../../helpdesk/ratings/list-answers.ts';
import { priorityKey, rankOfPriority } from '../../helpdesk/tickets/priority.ts';
import { statusSchema } from '../../helpdesk/tickets/schema.ts';

type Asked = { db: Queryable; actor: Doer };

/** What a parameter accepts, and its condition on `t`. */
function filter<Schema extends Type.TSchema>(
  schema: Schema,
  condition: (value: Type.Static<Schema>, asked: Asked) => Sql | Promise<Sql>,
) {
  return { schema: Type.Optional(schema), condition };
}

const anyOf = <Item extends Type.TSchema>(item: Item, description = 'Any of these.') =>
  Type.Array(item, { maxItems: 100, description });
const flag = (description: string) => Type.Boolean({ description });
const instant = (description: string) => Type.String({ format: 'date-time', description });

/** Every filter of a list of tickets but the search: a new one is an entry here. */
export const filters = {
  status: filter(anyOf(statusSchema), (status) => {
    const [only] = status;
    return only && status.length === 1 ? statusIs[only] : sql`t.status = any(${status}::text[])`;
  }),
  ids: filter(anyOf(ids.ticket), (ids) => sql`t.id = any(${ids}::uuid[])`),
  assignee: filter(anyOf(Type.String({ maxLength: 36 }), 'Any of these: a user id, `me` or `none`.'), assigneeIs),
  mailbox: filter(anyOf(uuid, 'Came through any of these mailboxes.'), (mailbox) =>
    mailbox.length === 1 ? sql`t.mailbox_id = ${mailbox[0]}` : sql`t.mailbox_id = any(${mailbox}::uuid[])`,
  ),
  team: filter(anyOf(Type.String({ maxLength: 36 }), 'Any of these: a team id, `mine` or `none`.'), teamIs),
  unread: filter(flag('Whether the ticket is unread for you.'), (unread, { actor: { workspaceId, userId } }) =>
    isAmong(
      unread,
      sql`select u.ticket_id from unread_tickets u where u.workspace_id = ${workspaceId} and u.user_id = ${userId}`,
    ),
  ),
  following: filter(flag('Whether you follow the ticket.'), (following, { actor: { workspaceId, userId } }) =>
    isAmong(
      following,
      sql`select f.ticket_id from ticket_followers f where f.workspace_id = ${workspaceId} and f.user_id = ${userId}`,
    ),
  ),
  mentioned: filter(
    flag('Whether you have a notification that the ticket mentions you.'),
    (mentioned, { actor: { workspaceId, userId } }) =>
      isAmong(
        mentioned,
        sql`
        select n.reference_id from notifications n
        where n.workspace_id = ${workspaceId} and n.user_id = ${userId} and n.type = 'mention'`,
      ),
  ),
  hasAttachment: filter(Type.Boolean(), (has) => (has ? sql`t.attachment_count > 0` : sql`t.attachment_count = 0`)),
  createdFrom: filter(instant('Created at this time or later.'), (from) => sql`t.created_at >= ${from}`),
  createdTo: filter(instant('Created before this time.'), (to) => sql`t.created_at < ${to}`),
  lastMessageFrom: filter(
    instant('The newest message is from this time or later.'),
    (from) => sql`t.last_message_at >= ${from}`,
  ),
  lastMessageTo: filter(
    instant('The newest message is from before this time.'),
    (to) => sql`t.last_message_at < ${to}`,
  ),
  priority: filter(Type.String({ maxLength: 32 }), (priority) => {
    const key = priorityKey(priority);
    // The index holds the rank, which several names share.
    return sql`t.priority_rank = ${rankOfPriority(key)} and t.priority = ${key}`;
  }),
  tags: filter(
    Type.Array(Type.String({ maxLength: 200 }), { maxItems: 50, description: 'All of these.' }),
    (tags, { actor }) => hasTags(actor.workspaceId, tags),
  ),
  contact: filter(
    Type.Unsafe<ContactId>({ ...uuid, description: 'A contact, by id, who asked or takes part.' }),
    async (contact, { db, actor: { workspaceId } }) =>
      sql`t.id in (${ticketIdsOf(workspaceId, await findContactIds(db, workspaceId, contact))})`,
  ),
  delivery: filter(anyOf(oneOf(deliveryStatuses), 'Has a message with any of these statuses.'), (statuses, { actor }) =>
    hasDelivery(actor.workspaceId, statuses),
  ),
  happened: filter(
    Type.String({
      maxLength: 100,
      description:
        'What a report counts within a time, as in `resolution/2026-01-01T00:00:00Z/2026-02-01T00:00:00Z`: ' +
        '`created`, `firstResponse`, `response`, `resolution`, `oneTouch`, `reopened`, or of answers of customers ' +
        '`rated` or `satisfied`. Merged tickets are left out. For `firstResponse`, `response`, `resolution` and ' +
        '`oneTouch`, `/` and a user id may follow: who answered or closed, a member whose figures you see. `none`: ' +
        'nobody is known.',
    }),
    happenedIn,
  ),
};

/** Parameters that say together which states a list shows. Each has a rule for when it is not given. */
export const stateFilters = {
  archived: Type.Optional(oneOf(['true', 'false', 'any'])),
  trash: Type.Optional(flag('With `true`, only tickets in the trash. No other list has them.')),
  spam: Type.Optional(flag('With `true`, only spam. No other list has it.')),
  snoozed: Type.Optional(Type.Boolean()),
};

type Filters = { [Name in keyof typeof filters]?: Type.Static<(typeof filters)[Name]['schema']> };
type States = {
  [Name in Exclude<keyof typeof stateFilters, 'snoozed'>]?: Type.Static<(typeof stateFilters)[Name]>;
} & { snoozed?: boolean | 'any' };
type Query = Filters & States & { search?: string; sort?: string };

/** Every filter except the search as a condition on `t`, the workspace and what the actor sees first. */
export async function conditionsOf(
  db: Queryable,
  actor: Doer,
  query: Query,
  now: Date,
  reading: Reading = 'once',
): Promise<Sql[]> {
  return [
    sql`t.workspace_id = ${actor.workspaceId}`,
    visible(actor, 't', reading),
    ...shownStates(query, now),
    ...(await conditionsOfFilters(db, actor, query)),
    ...(query.sort === 'waitingSince' ? [sql`t.waiting_since is not null`] : []),
  ];
}

/** The filters that a query names as conditions on `t`. */
export async function conditionsOfFilters(db: Queryable, actor: Doer, query: Filters): Promise<Sql[]> {
  const conditions = Object.entries(filters).map(([name, { condition }]) => {
    const value = query[name as keyof Filters];
    // The schema has checked that the value is the filter's.
    return value === undefined ? [] : (condition as (value: unknown, asked: Asked) => Sql)(value, { db, actor });
  });
  return (await Promise.all(conditions)).flat();
}

function shownStates(query: Query, now: Date): Sql[] {
  const conditions: Sql[] = [];
  const { status, archived = 'false' } = query;
  if (query.trash === true || query.spam === true) conditions.push(...hiddenOnes(query));
  else {
    // Trash and spam are archived as well.
    if (archived === 'false') conditions.push(sql`t.archived_at is null`);
    else conditions.push(sql`t.trashed_at is null and t.spam_at is null`);
    if (archived === 'true') conditions.push(sql`t.archived_at is not null`);
    if (archived !== 'any' && !status?.includes('closed')) conditions.push(sql`t.merged_into_id is null`);
  }
  if (query.snoozed === true) conditions.push(sql`t.snoozed_until > ${now}`);
  else if (query.snoozed === false || (query.snoozed === undefined && !showsSnoozed(query))) {
    conditions.push(sql`(t.snoozed_until is null or t.snoozed_until <= ${now})`);
  }
  return conditions;
}

/** Whether a list that does not say so has snoozed tickets too. */
function showsSnoozed({ search, trash, spam, happened }: Query): boolean {
  return search !== undefined || trash === true || spam === true || happened !== undefined;
}

function hiddenOnes({ trash, spam }: States): Sql[] {
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
 * Leaves out problems that are handled, and automatic replies. Undelivered mail is rare and has a partial index. The
 * query repeats the index's condition as literals, because a generic plan knows no values.
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
      and m.delivery_handled_at is null and m.automatic_kind is null
      and m.delivery_status in ('scheduled', 'queued', 'sending', 'failed', 'bounced', 'uncertain', 'cancelled'))`;
}

/** The tickets that a report counts (`insight/reports/figures.ts`), of all or of one member. */
async function happenedIn(happened: string, { db, actor }: Asked): Promise<Sql> {
  const { workspaceId } = actor;
  const [name = '', from = '', to = '', by, ...more] = happened.split('/');
  const isIn = (at: Sql) => sql`${at} >= ${from} and ${at} < ${to}`;
  const isBy = (user: Sql) =>
    by === undefined ? sql`true` : by === 'none' ? sql`${user} is null` : sql`${user} = ${by}::uuid`;
  const metrics = sql`select m.ticket_id from ticket_metrics m where m.workspace_id = ${workspaceId}`;
  const resolved = sql`${metrics} and ${isIn(sql`m.resolved_at`)} and ${isBy(sql`m.resolved_by`)}`;
  const responses = sql`
    select r.ticket_id from ticket_responses r
    where r.workspace_id = ${workspaceId} and ${isIn(sql`r.responded_at`)} and ${isBy(sql`r.user_id`)}`;
  const ratings = sql`
    select m.ticket_id from survey_asks a
    join messages m on m.workspace_id = ${workspaceId} and m.id = a.message_id
    where a.workspace_id = ${workspaceId} and ${isIn(sql`a.answered_at`)} and a.doubt is null`;
  const ofMembers = new Map([
    ['firstResponse', sql`t.id in (${responses} and r.is_first)`],
    ['response', sql`t.id in (${responses})`],
    ['resolution', sql`t.id in (${resolved})`],
    ['oneTouch', sql`t.id in (${resolved} and m.is_one_touch)`],
  ]);
  const ofAll = new Map([
    ['created', isIn(sql`t.created_at`)],
    ['rated', sql`t.id in (${ratings})`],
    ['satisfied', sql`t.id in (${ratings} and ${isGood})`],
    [
      'reopened',
      sql`t.id in (
        ${metrics} and m.is_reopened and m.turned_at >= ${from} and exists (
          select from unnest(m.opened_at) opened (at) where opened.at > t.created_at and ${isIn(sql`opened.at`)}))`,
    ],
  ]);
  const tickets = ofMembers.get(name) ?? (by === undefined ? ofAll.get(name) : undefined);
  const isSpan = isTimestamp(from) && isTimestamp(to) && new Date(from) < new Date(to);
  if (tickets === undefined || !isSpan || more.length > 0 || !(await showsFiguresOf(db, actor, by)))
    throw invalidRequest({ path: 'query.happened', key: 'not_valid' });
  return sql`${tickets} and t.merged_into_id is null`;
}

async function showsFiguresOf(db: Queryable, actor: Doer, by: string | undefined): Promise<boolean> {
  if (by === undefined || by === actor.userId) return true;
  if (!('role' in actor) || !(by === 'none' || isUuid(by))) return false;
  const members = await shownMembers(db, actor);
  return members === 'all' || (members !== 'none' && members.has(by));
}

function isAmong(wanted: boolean, tickets: Sql): Sql {
  return wanted ? sql`t.id in (${tickets})` : sql`t.id not in (${tickets})`;
}

function assigneeIs(assignees: readonly string[], { actor: { userId } }: Asked): Sql {
  const asked = assignees.map((assignee) => assignee.trim().toLowerCase());
  const ids = asked.filter((one) => one !== 'none').map((one) => (one === 'me' ? (userId ?? nilId) : one));
  if (!ids.every(isUuid)) throw invalidRequest({ path: 'query.assignee', key: 'not_an_assignee' });
  const isOne = ids.length === 1 ? sql`t.assignee_id = ${ids[0]}` : sql`t.assignee_id = any(${ids}::uuid[])`;
  if (ids.length === asked.length) return isOne;
  return ids.length === 0 ? sql`t.assignee_id is null` : sql`(t.assignee_id is null or ${isOne})`;
}

/** The id of a team, `mine` or `none`, as a parameter may spell it. */
export const readTeam = (team: string): string => team.trim().toLowerCase();

/** `named.ts` refuses what names no team. */
function teamIs(teams: readonly string[], { actor: { workspaceId, userId } }: Asked): Sql {
  const asked = teams.map(readTeam);
  const ids = asked.filter(isUuid);
  const any = [
    ...(ids.length === 1 ? [sql`t.team_id = ${ids[0]}`] : []),
    ...(ids.length > 1 ? [sql`t.team_id = any(${ids}::uuid[])`] : []),
    ...(asked.includes('mine') ? [sql`t.team_id = any(${teamsOf(workspaceId, userId ?? nilId)})`] : []),
    ...(asked.includes('none') ? [sql`t.team_id is null`] : []),
  ];
  const [first = sql`false`, ...others] = any;
  return others.length === 0 ? first : sql`(${others.reduce((all, one) => sql`${all} or ${one}`, first)})`;
}
