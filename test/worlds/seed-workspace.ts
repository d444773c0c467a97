import type pg from 'pg';
import { workspaceLetters } from '../../src/ground/lib/search-vector.ts';
import { asSuperuser } from '../harness/explain.ts';
import type { House } from '../harness/harness.ts';
import type { Person } from './factories.ts';

/** Fills a person's workspace as years of use would, so that a plan that reads too much shows. */
export async function seedWorkspace(house: House, { workspaceId, userId }: Person): Promise<void> {
  await asSuperuser(house, async (client) => {
    // Skips the checks of foreign keys.
    await client.query('set session_replication_role = replica');
    const run = (statement: string) =>
      client.query(
        statement
          .replaceAll(':workspace', client.escapeLiteral(workspaceId))
          .replaceAll(':user', client.escapeLiteral(userId))
          .replaceAll(':letters', workspaceLetters(workspaceId)),
      );
    for (const table of filled) await client.query(`alter table ${table} set (autovacuum_enabled = off)`);
    for (const statement of rows) await run(statement);
    await client.query(`vacuum analyze ${filled.join()}`);
    await scaleStatistics(client, filled);
    await run(longConversation);
  });
}

/** Adds workspaces of one ticket each. Most workspaces are then small, as the planner learns. */
export async function seedSmallWorkspaces(house: House): Promise<void> {
  await asSuperuser(house, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(`
      insert into tickets (
        workspace_id, id, ticket_number, subject, status, priority, priority_rank, tags, tag_keys, requester_id,
        channel, message_count, last_message_at, created_at, updated_at, version, summary_version, search)
      select gen_random_uuid(), gen_random_uuid(), 1, 'Alone', 'open', 'normal', 2, '{}', '{}', gen_random_uuid(),
        'api', 1, ${at}, ${at}, ${at}, 1, 1, ''
      from generate_series(1, 20000) n`);
    await client.query('vacuum analyze tickets');
    await scaleStatistics(client, ['tickets']);
  });
}

const scaleStatistics = (client: pg.Client, tables: readonly string[]) =>
  client.query(
    `update pg_class set reltuples = reltuples * ${timesAsMany}
    where oid = any($1::regclass[]) or oid in (select indexrelid from pg_index where indrelid = any($1::regclass[]))`,
    [tables],
  );

/** Scales the planner's statistics, so that it plans for a workspace of more than half a million tickets. */
const timesAsMany = 100;
const filled = [
  ...['contacts', 'tickets', 'ticket_participants', 'messages', 'message_words', 'mail_ids', 'raw_mails'],
  ...['attachments', 'activity', 'notifications', 'audit_log', 'mailed_recipients'],
];
const tickets = 6_000;
const longTicket = 7;
export const seeded = {
  /** The ticket with many messages. */
  longTicketNumber: 1_000_000 + longTicket,
  /** Further down a list than any plan may read. */
  deepOffset: 2_000,
  /** Of the first mailbox half the tickets are open, of the second none. */
  mailboxIds: ['01900006-0000-7000-8000-000000000001', '01900006-0000-7000-8000-000000000002'],
} as const;
const contacts = tickets;

/** The n-th id of a kind of rows. */
const idOf = (kind: number, n = 'n'): string =>
  `('0190000${kind}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const contactId = idOf(1);
const contactOfTicket = idOf(1, `1 + n % ${contacts}`);
const ticketId = idOf(2);
const messageId = idOf(3);
const factId = idOf(4);
const mailboxId = idOf(6);
/** See `seeded.mailboxIds`. */
const mailboxOfTicket = idOf(6, '1 + n % 2');
const at = `(timestamptz '2025-01-01Z' + n * interval '1 minute')`;
const each = `from generate_series(1, ${tickets}) n`;

const longConversation = `
  with written as (
    insert into messages (workspace_id, id, ticket_id, direction, author_type, author_user_id, body, created_at)
    select :workspace, ${idOf(5)}, ${idOf(2, String(longTicket))}, 'internal', 'agent', :user, 'A long conversation',
      ${at}
    from generate_series(1, 200) n
    returning id, created_at
  )
  insert into message_words (workspace_id, message_id, created_at, search)
  select :workspace, id, created_at, ':letters'::tsvector from written`;

/** Values that people search or sort by: some are common and some are rare. */
const rows = [
  `insert into contacts (workspace_id, id, email, email_key, name, created_at, search)
  select :workspace, ${contactId}, 'c' || n || '@example.org', 'c' || n || '@example.org', 'Customer ' || n, ${at},
    (':letters :letterscustomer :lettersexample :lettersorg :lettersc' || n)::tsvector
  from generate_series(1, ${contacts}) n`,

  `insert into mailboxes (
    workspace_id, id, provider, address, address_key, status, status_changed_at, connected_at, created_at, updated_at)
  select :workspace, ${mailboxId}, 'mail-a', 's' || n || '@example.org', 's' || n || '@example.org', 'active',
    ${at}, ${at}, ${at}, ${at}
  from generate_series(1, 2) n`,

  `insert into tickets (
    workspace_id, id, ticket_number, subject, status, priority, priority_rank, assignee_id, tags, tag_keys,
    requester_id, channel, mailbox_id, archived_at, snoozed_until, message_count, last_message_at, created_at,
    updated_at, version, summary_version, last_message_id, last_message_direction,
    last_message_snippet, waiting_since, search)
  select :workspace, ${ticketId}, 1000000 + n, 'Ticket ' || n, (array['open', 'closed', 'open', 'pending'])[1 + n % 4],
    (array['normal', 'normal', 'high', 'low', 'urgent'])[1 + n % 5], (array[2, 2, 3, 1, 4])[1 + n % 5],
    case when n % 3 = 0 then :user::uuid end, array['common', 'tag' || n % 500], array['common', 'tag' || n % 500],
    ${contactOfTicket}, 'api', ${mailboxOfTicket}, case when n % 8 = 1 then ${at} end,
    case when n % 1000 = 0 then timestamptz '2100-01-01Z' end,
    1, ${at}, ${at}, ${at}, 1, 1, ${messageId}, case when n % 2 = 0 then 'outbound' else 'inbound' end,
    'A common word, and a rare one', case when n % 6 = 1 then ${at} end,
    (':letters :lettersticket:1A :letterst' || n || ':2A')::tsvector
  ${each}`,

  // The high number makes it a large workspace, in which searches use other plans.
  `update ticket_counters set last_number = 1000000 + ${tickets} where workspace_id = :workspace`,

  `insert into ticket_participants (workspace_id, ticket_id, contact_id)
  select :workspace, ${ticketId}, ${contactOfTicket} ${each}`,

  `insert into messages (workspace_id, id, ticket_id, direction, author_type, author_user_id, author_contact_id, body,
    delivery_status, rfc_message_id, created_at)
  select :workspace, ${messageId}, ${ticketId}, case when n % 2 = 0 then 'outbound' else 'inbound' end,
    case when n % 2 = 0 then 'agent' else 'customer' end, case when n % 2 = 0 then :user::uuid end,
    case when n % 2 = 1 then ${contactOfTicket} end, 'A common word, and a rare one',
    case when n % 1000 = 0 then 'failed' when n % 2 = 0 then 'sent' end, 'm' || n || '@example.org', ${at}
  ${each}`,

  `insert into message_words (workspace_id, message_id, created_at, search)
  select :workspace, ${messageId}, ${at},
    (':letters :letterscommon:2 :lettersword:3 :lettersrare' || n || ':5 :lettersseldom' || n % 200 || ':6')::tsvector
  ${each}`,

  `insert into mail_ids (workspace_id, rfc_message_id, ticket_id, message_id)
  select :workspace, 'm' || n || '@example.org', ${ticketId}, ${messageId} ${each}`,

  `insert into raw_mails (workspace_id, id, sha256, size_bytes, source, state, fingerprint, message_id, received_at)
  select :workspace, ${idOf(6)}, 's' || n, 1000, 'smtp', 'ingested', 'f' || n, ${messageId}, ${at} ${each}`,

  `insert into attachments (
    workspace_id, id, ticket_id, message_id, file_name, content_type, size_bytes, sha256, created_at)
  select :workspace, ${idOf(7)}, ${ticketId}, ${messageId}, 'file', 'text/plain', 10, 's' || n, ${at} ${each}`,

  `insert into activity (workspace_id, id, ticket_id, type, actor_type, actor_user_id, data, created_at, transaction_id)
  select :workspace, ${factId}, ${ticketId}, 'ticket.assigned', 'agent', :user, '{}', ${at}, '3' ${each}`,

  `insert into notifications (workspace_id, id, user_id, type, reference_id, activity_id, title, read_at, created_at)
  select :workspace, ${idOf(8)}, :user, 'assignment', ${ticketId}, ${factId}, 'You were assigned',
    case when n % 20 > 0 then ${at} end, ${at}
  ${each}`,

  `insert into mailed_recipients (workspace_id, email_key, first_mailed_at)
  select :workspace, 'mailed' || n || '@example.org', ${at} ${each}`,

  `insert into audit_log (workspace_id, id, type, actor_user_id, subject_id, data, created_at)
  select :workspace, ${idOf(9)}, 'session.others_ended', :user, :user, '{"count":1}', ${at} ${each}`,
];
