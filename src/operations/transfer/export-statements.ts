import { carriedOf, type TableName, tables, wireName } from '../../ground/catalog/tables/tables.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import type { RecordFile } from './format.ts';

/**
 * The statements that read a workspace as JSON lines, for COPY, which takes no parameters. Each has one order, so that
 * the same rows always make the same bytes. They name each column that its table's description lets an export carry.
 */

const time = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const fineTime = (column: string): string => time(column).replace('MS', 'US');

/**
 * The carried columns of a row, under their names in camel case.
 * @param others what stands in place of a column
 */
function carried(table: TableName, row: string, others: Record<string, string> = {}): string {
  const shown = (name: string): string => {
    const column = `${row}.${name}`;
    const type = tables[table].columns[name]?.type;
    if (type === 'time') return time(column);
    return type === 'fine time' ? fineTime(column) : column;
  };
  const columns = carriedOf(table).map((name) => others[name] ?? `${shown(name)} as "${wireName(name)}"`);
  return columns.join(', ');
}

const attachment = carried('attachments', 'a');
const rawMail = carried('raw_mails', 'r');

/** An array of objects, `[]` for none. The rows come in the order of `by`. */
const listOf = (columns: string, from: string, by: string): string =>
  `coalesce((select json_agg(row_to_json(x)) from (select ${columns} from ${from} order by ${by}) x), '[]')`;

const linesOf = (columns: string, from: string, by: string): string =>
  `select row_to_json(x) from (select ${columns} from ${from} order by ${by}) x`;

/** @param id a UUID, as the database gave it */
export const workspaceLiteral = (id: WorkspaceId): string => `'${id}'::uuid`;

/** Records of all kinds but tickets. */
export function recordStatements(workspaceId: WorkspaceId): Record<Exclude<RecordFile, 'tickets'>, string> {
  const workspace = workspaceLiteral(workspaceId);
  return { ...peopleStatements(workspace), ...settingStatements(workspace) };
}

function peopleStatements(workspace: string) {
  return {
    workspace: linesOf(
      `w.id, w.name, w.require_second_factor as "requireSecondFactor", w.tag_colours as "tagColours",
        w.own_addresses as "ownAddresses", w.when_answered as "whenAnswered", n.last_number as "lastTicketNumber",
        ${time('w.created_at')} as "createdAt"`,
      `workspaces w join ticket_counters n on n.workspace_id = w.id where w.id = ${workspace}`,
      'w.id',
    ),
    members: linesOf(
      `u.id, u.email, u.name, m.role, m.access, m.signature_html as "signatureHtml",
        ${time('m.created_at')} as "createdAt", ${time('m.removed_at')} as "removedAt"`,
      `(${peopleIn(workspace)}) p join users u on u.id = p.id
        left join members m on m.workspace_id = ${workspace} and m.user_id = u.id`,
      'u.id',
    ),
    teams: linesOf(
      `${carried('teams', 't')},
        ${listOf(
          carried('team_members', 'o'),
          `team_members o where o.workspace_id = ${workspace} and o.team_id = t.id`,
          'o.user_id',
        )} as members`,
      `teams t where t.workspace_id = ${workspace}`,
      't.id',
    ),
    'auto-replies': linesOf(carried('auto_replies', 'r'), `auto_replies r where r.workspace_id = ${workspace}`, 'r.id'),
    surveys: linesOf(carried('surveys', 's'), `surveys s where s.workspace_id = ${workspace}`, 's.id'),
    'survey-asks': linesOf(carried('survey_asks', 'a'), `survey_asks a where a.workspace_id = ${workspace}`, 'a.id'),
    calendars: linesOf(
      `${carried('calendars', 'c')},
        ${listOf(
          carried('calendar_days', 'd'),
          `calendar_days d where d.workspace_id = ${workspace} and d.calendar_id = c.id`,
          'd.date',
        )} as days`,
      `calendars c where c.workspace_id = ${workspace}`,
      'c.id',
    ),
    mailboxes: linesOf(carried('mailboxes', 'b'), `mailboxes b where b.workspace_id = ${workspace}`, 'b.id'),
    contacts: linesOf(
      carried('contacts', 'c'),
      `contacts c where c.workspace_id = ${workspace}`,
      'c.merged_into_id is not null, c.id',
    ),
    'blocked-senders': linesOf(
      carried('blocked_senders', 'b'),
      `blocked_senders b where b.workspace_id = ${workspace}`,
      'b.id',
    ),
    mails: linesOf(
      rawMail,
      `raw_mails r where r.workspace_id = ${workspace} and r.message_id is null and r.state <> 'pending'`,
      'r.id',
    ),
  };
}

function settingStatements(workspace: string) {
  return {
    'saved-replies': linesOf(
      `${carried('saved_replies', 's')},
        ${listOf(attachment, `attachments a where a.workspace_id = ${workspace} and a.saved_reply_id = s.id`, 'a.id')}
          as attachments`,
      `saved_replies s where s.workspace_id = ${workspace}`,
      's.id',
    ),
    rules: linesOf(carried('rules', 'r'), `rules r where r.workspace_id = ${workspace}`, 'r.position, r.id'),
    views: linesOf(carried('views', 'v'), `views v where v.workspace_id = ${workspace}`, 'v.id'),
    drafts: linesOf(
      `${carried('drafts', 'd')},
        ${listOf(attachment, `attachments a where a.workspace_id = ${workspace} and a.draft_id = d.id`, 'a.id')}
          as attachments`,
      `drafts d where d.workspace_id = ${workspace}`,
      'd.id',
    ),
    audit: linesOf(carried('audit_log', 'l'), `audit_log l where l.workspace_id = ${workspace}`, 'l.id'),
  };
}

/** Members, and people who were members when they did what records tell of them. */
function peopleIn(workspace: string): string {
  const named = [
    'user_id as id from members',
    'author_user_id from messages',
    'redacted_by from messages',
    'actor_user_id from activity',
    'actor_user_id from audit_log',
    'created_by from blocked_senders',
    'created_by from saved_replies',
    'created_by from views',
    'changed_by_id from rules',
    'user_id from survey_asks',
    'user_id from drafts',
  ];
  return named.map((column) => `select ${column} where workspace_id = ${workspace}`).join(' union ');
}

/** The ids of all tickets. A merged ticket comes after the ticket into which it was merged. */
export function ticketIdsStatement(workspaceId: WorkspaceId): string {
  const workspace = workspaceLiteral(workspaceId);
  return `
    with recursive placed (id, depth) as (
      select id, 0 from tickets where workspace_id = ${workspace} and merged_into_id is null
      union all
      select t.id, p.depth + 1
      from tickets t
      join placed p on t.merged_into_id = p.id
      where t.workspace_id = ${workspace}
    )
    select id from placed order by depth, id`;
}

/** Tickets, each with its messages and events behind it. */
export function ticketsStatement(workspaceId: WorkspaceId, ticketIds: readonly string[]): string {
  const workspace = workspaceLiteral(workspaceId);
  return `
    with picked (id, place) as materialized (
      select id, place from unnest('{${ticketIds.join()}}'::uuid[]) with ordinality p (id, place)
    )
    select line from (
      select p.place, 1 as part, null::timestamptz as at, t.id, row_to_json(x) as line
      from picked p
      join tickets t on t.workspace_id = ${workspace} and t.id = p.id
      cross join lateral (select ${ticketColumns(workspace)}) x
      union all
      select p.place, 2, m.created_at, m.id, row_to_json(x)
      from picked p
      join messages m on m.workspace_id = ${workspace} and m.ticket_id = p.id
      cross join lateral (select ${messageColumns(workspace)}) x
      union all
      select p.place, 3, null, e.id, row_to_json(x)
      from picked p
      join activity e on e.workspace_id = ${workspace} and e.ticket_id = p.id
      cross join lateral (select 'event' as kind, ${carried('activity', 'e')}) x
    ) lines
    order by place, part, at, id`;
}

function ticketColumns(workspace: string): string {
  const ofTicket = (table: string, alias: string) =>
    `${table} ${alias} where ${alias}.workspace_id = ${workspace} and ${alias}.ticket_id = t.id`;
  return `'ticket' as kind, ${carried('tickets', 't', { ticket_number: 't.ticket_number as number' })},
    ${listOf(carried('ticket_participants', 'p'), ofTicket('ticket_participants', 'p'), 'p.contact_id')}
      as participants,
    ${listOf(carried('ticket_followers', 'f'), ofTicket('ticket_followers', 'f'), 'f.user_id')} as followers,
    array(
      select i.rfc_message_id from ${ofTicket('mail_ids', 'i')} and i.message_id is null
      order by i.rfc_message_id collate "C"
    ) as "namedMailIds",
    ${listOf(carried('thread_tokens', 'k'), ofTicket('thread_tokens', 'k'), 'k.source, k.token collate "C"')}
      as "threadTokens",
    (
      select row_to_json(g) from (
        select ${carried('sample_tickets', 's')} from ${ofTicket('sample_tickets', 's')}
      ) g
    ) as sample,
    (
      select row_to_json(g) from (
        select ${carried('ticket_merges', 'k')},
          array(
            select b.message_id from merged_messages b
            where b.workspace_id = ${workspace} and b.merge_id = k.id order by b.message_id
          ) as "messageIds"
        from ticket_merges k where k.workspace_id = ${workspace} and k.source_id = t.id
      ) g
    ) as merge`;
}

function messageColumns(workspace: string): string {
  const others = {
    // Uncertain if it waits to be sent, because the exported workspace still sends it.
    delivery_status: `case when m.delivery_status in ('scheduled', 'queued', 'sending') then 'uncertain'
      else m.delivery_status end as "deliveryStatus"`,
    is_file: 'nullif(m.is_file, false) as "isFile"',
  };
  return `'message' as kind, ${carried('messages', 'm', others)},
    array(
      select i.rfc_message_id from mail_ids i where i.workspace_id = ${workspace} and i.message_id = m.id
      order by i.rfc_message_id collate "C"
    ) as "mailIds",
    ${listOf(attachment, `attachments a where a.workspace_id = ${workspace} and a.message_id = m.id`, 'a.id')}
      as attachments,
    ${listOf(rawMail, `raw_mails r where r.workspace_id = ${workspace} and r.message_id = m.id`, 'r.id')} as mails`;
}

/** The files and mails of a workspace: `file` or `mail`, tab, SHA-256. */
export function contentsStatement(workspaceId: WorkspaceId): string {
  const workspace = workspaceLiteral(workspaceId);
  return `
    select 'file' as kind, a.sha256 from attachments a
    where a.workspace_id = ${workspace} and coalesce(a.message_id, a.draft_id, a.saved_reply_id) is not null
    union
    select 'mail', r.sha256 from raw_mails r
    where r.workspace_id = ${workspace} and r.state <> 'pending' and r.erased_at is null
    order by 1, 2`;
}
