import pg from 'pg';
import {
  inboundAddressRows,
  mailboxRouteRows,
  mailboxRows,
  mailboxSyncRows,
  memberRows,
  sessionRows,
  userRows,
  workspaceRows,
} from './account-rows.ts';
import { copyInto, type Field } from './copy.ts';
import {
  activityRows,
  contactRows,
  counterRows,
  messageRows,
  notificationRows,
  participantRows,
  ticketRows,
  wordRows,
} from './ticket-rows.ts';
import type { World } from './world.ts';

/** Writes the whole world into a migrated, empty database, then analyses and vacuums it like a database in long use. */
export async function fill(databaseUrl: string, world: World, tell: (done: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // Building the indexes of three million messages takes the longest, and more memory speeds up their sorts.
    await client.query(`set maintenance_work_mem = '512MB'`);
    const restore = await dropIndexes(client);
    for (const { table, columns, rows } of tablesOf(world)) {
      await copyInto(client, table, columns.split(' '), rows);
      tell(table);
    }
    await restore();
    tell('indexes');
    await client.query('vacuum analyze');
    tell('statistics');
  } finally {
    await client.end();
  }
}

type Table = { table: string; columns: string; rows: Iterable<readonly Field[]> };

export function tablesOf(world: World): Table[] {
  return [
    { table: 'workspaces', columns: 'id name created_at', rows: workspaceRows() },
    { table: 'ticket_counters', columns: 'workspace_id last_number', rows: counterRows(world) },
    { table: 'users', columns: 'id email email_key name email_verified_at created_at', rows: userRows() },
    { table: 'members', columns: 'workspace_id user_id role created_at', rows: memberRows() },
    { table: 'sessions', columns: 'id user_id created_at last_used_at', rows: sessionRows() },
    { table: 'inbound_addresses', columns: 'local_part workspace_id reply_key', rows: inboundAddressRows() },
    {
      table: 'mailboxes',
      columns:
        'workspace_id id provider address address_key status status_changed_at connected_at created_at updated_at ' +
        'watch_until',
      rows: mailboxRows(),
    },
    { table: 'mailbox_syncs', columns: 'workspace_id mailbox_id not_before', rows: mailboxSyncRows() },
    { table: 'mailbox_routes', columns: 'provider route_key workspace_id mailbox_id', rows: mailboxRouteRows() },
    { table: 'contacts', columns: 'workspace_id id email email_key name created_at search', rows: contactRows(world) },
    {
      table: 'tickets',
      columns:
        'workspace_id id ticket_number subject status priority priority_rank assignee_id tags tag_keys requester_id ' +
        'channel archived_at message_count last_message_at created_at updated_at version summary_version ' +
        'last_message_id last_message_direction last_message_author last_message_snippet waiting_since search',
      rows: ticketRows(world),
    },
    { table: 'ticket_participants', columns: 'workspace_id ticket_id contact_id', rows: participantRows(world) },
    {
      table: 'messages',
      columns:
        'workspace_id id ticket_id direction author_type author_user_id author_contact_id author_name author_email ' +
        'body created_at',
      rows: messageRows(world),
    },
    { table: 'message_words', columns: 'workspace_id message_id created_at search', rows: wordRows(world) },
    {
      table: 'activity',
      columns: 'workspace_id id ticket_id type actor_type actor_user_id data created_at',
      rows: activityRows(world),
    },
    {
      table: 'notifications',
      columns: 'workspace_id id user_id type reference_id activity_id title read_at created_at',
      rows: notificationRows(world),
    },
  ];
}

type Definition = { drop: string; make: string };

/** Drops indexes and foreign keys, which would cost time for each row. @returns a function that restores them */
async function dropIndexes(client: pg.Client): Promise<() => Promise<void>> {
  const { rows: keys } = await client.query<Definition>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
    from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace`);
  const { rows: indexes } = await client.query<Definition>(`
    select format('drop index %s', i.indexrelid::regclass) as drop, pg_get_indexdef(i.indexrelid) as make
    from pg_index i
    join pg_class c on c.oid = i.indexrelid and c.relnamespace = 'public'::regnamespace
    where not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)`);
  for (const { drop } of [...keys, ...indexes]) await client.query(drop);
  return async () => {
    for (const { make } of [...indexes, ...keys]) await client.query(make);
  };
}
