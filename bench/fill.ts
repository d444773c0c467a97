import pg from 'pg';
import { contactSearchVector } from '../src/contacts/search-words.ts';
import { rankOfPriority } from '../src/tickets/priority.ts';
import { messageSearchVector, ticketSearchVector } from '../src/tickets/rows.ts';
import { copyInto, type Field } from './copy.ts';
import {
  type Contact,
  contactCount,
  contactOf,
  drawnTickets,
  factId,
  membersPerWorkspace,
  messageOf,
  messagesPerTicket,
  notificationId,
  personOf,
  type Ticket,
  ticketOf,
  type World,
  workspaceCount,
  workspaceId,
} from './world.ts';

/** Writes the whole world into a migrated, empty database, and leaves it as a database that has been running for long: analysed and vacuumed. */
export async function fill(databaseUrl: string, world: World, tell: (done: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
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

function tablesOf(world: World): Table[] {
  return [
    { table: 'workspaces', columns: 'id name created_at', rows: workspaceRows() },
    { table: 'ticket_counters', columns: 'workspace_id last_number', rows: counterRows(world) },
    { table: 'users', columns: 'id email email_key name email_verified_at created_at', rows: userRows() },
    { table: 'members', columns: 'workspace_id user_id role created_at', rows: memberRows() },
    { table: 'sessions', columns: 'id user_id created_at last_used_at', rows: sessionRows() },
    { table: 'contacts', columns: 'workspace_id id email email_key name created_at search', rows: contactRows(world) },
    {
      table: 'tickets',
      columns:
        'workspace_id id ticket_number subject status priority priority_rank assignee_id tags tag_keys requester_id channel archived_at message_count last_message_at created_at updated_at version search',
      rows: ticketRows(world),
    },
    { table: 'ticket_participants', columns: 'workspace_id ticket_id contact_id', rows: participantRows(world) },
    {
      table: 'messages',
      columns:
        'workspace_id id ticket_id direction author_type author_user_id author_contact_id author_name author_email body created_at search',
      rows: messageRows(world),
    },
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

const at = (milliseconds: number): string => new Date(milliseconds).toISOString();
const accountsAt = at(Date.UTC(2024, 0, 1));

function* workspaceRows(): Generator<Field[]> {
  for (let workspace = 0; workspace < workspaceCount; workspace++)
    yield [workspaceId(workspace), `Workspace ${workspace}`, accountsAt];
}

function* counterRows(world: World): Generator<Field[]> {
  const counts = Array.from({ length: workspaceCount }, () => 0);
  for (const { workspace, number } of drawnTickets(world)) counts[workspace] = number;
  for (const [workspace, count] of counts.entries()) yield [workspaceId(workspace), count];
}

function* members(): Generator<{ workspace: number; member: number }> {
  for (let workspace = 0; workspace < workspaceCount; workspace++)
    for (let member = 0; member < membersPerWorkspace; member++) yield { workspace, member };
}

function* userRows(): Generator<Field[]> {
  for (const { workspace, member } of members()) {
    const { userId, email, name } = personOf(workspace, member);
    yield [userId, email, email, name, accountsAt, accountsAt];
  }
}

function* memberRows(): Generator<Field[]> {
  for (const { workspace, member } of members())
    yield [workspaceId(workspace), personOf(workspace, member).userId, member === 0 ? 'owner' : 'agent', accountsAt];
}

function* sessionRows(): Generator<Field[]> {
  for (const { workspace, member } of members()) {
    const { userId, sessionId } = personOf(workspace, member);
    yield [sessionId, userId, accountsAt, accountsAt];
  }
}

function* contactRows(world: World): Generator<Field[]> {
  for (let workspace = 0; workspace < workspaceCount; workspace++) {
    for (let index = 0; index < contactCount(world, workspace); index++) {
      const { id, email, name } = contactOf(workspace, index);
      const inWorkspace = workspaceId(workspace);
      yield [inWorkspace, id, email, email, name, accountsAt, contactSearchVector(inWorkspace, { email, name })];
    }
  }
}

function* ticketRows(world: World): Generator<Field[]> {
  for (const { index, number } of drawnTickets(world)) {
    const ticket = ticketOf(world, index);
    const inWorkspace = workspaceId(ticket.workspace);
    const lastMessageAt = at(messageOf(ticket, index, messagesPerTicket - 1).createdMs);
    const tags = `{${ticket.tags}}`;
    yield [
      inWorkspace,
      ticket.id,
      number,
      ticket.subject,
      ticket.status,
      ticket.priority,
      rankOfPriority(ticket.priority),
      ticket.assignee?.userId ?? null,
      tags,
      tags,
      ticket.contact.id,
      'email',
      ticket.isArchived ? lastMessageAt : null,
      messagesPerTicket,
      lastMessageAt,
      at(ticket.createdMs),
      lastMessageAt,
      1,
      ticketSearchVector(inWorkspace, { subject: ticket.subject, people: [ticket.contact], attachmentNames: [] }),
    ];
  }
}

function* participantRows(world: World): Generator<Field[]> {
  for (let index = 0; index < world.ticketCount; index++) {
    const { workspace, id, contact } = ticketOf(world, index);
    yield [workspaceId(workspace), id, contact.id];
  }
}

/** How many tickets begin before an earlier one's next message: on disk a conversation lies scattered, as it does in life. */
const ticketsBetweenMessages = [0, 97, 389] as const;

function* messageRows(world: World): Generator<Field[]> {
  for (let step = 0; step < world.ticketCount + Math.max(...ticketsBetweenMessages); step++) {
    for (const [message, delay] of ticketsBetweenMessages.entries()) {
      const index = step - delay;
      if (index >= 0 && index < world.ticketCount) yield messageRow(ticketOf(world, index), index, message);
    }
  }
}

function messageRow(ticket: Ticket, index: number, message: number): Field[] {
  const { id, author, isFromCustomer, body, createdMs } = messageOf(ticket, index, message);
  const inWorkspace = workspaceId(ticket.workspace);
  return [
    inWorkspace,
    id,
    ticket.id,
    isFromCustomer ? 'inbound' : 'outbound',
    isFromCustomer ? 'customer' : 'agent',
    isFromCustomer ? null : ticketAgent(ticket),
    isFromCustomer ? (author as Contact).id : null,
    author.name,
    author.email,
    body,
    at(createdMs),
    messageSearchVector(inWorkspace, body),
  ];
}

function ticketAgent({ assignee, workspace }: Ticket): string {
  return (assignee ?? personOf(workspace, 0)).userId;
}

function* activityRows(world: World): Generator<Field[]> {
  for (let index = 0; index < world.ticketCount; index++) {
    const ticket = ticketOf(world, index);
    const { workspace, id, createdMs, assignee } = ticket;
    const fact = (place: number, type: string, agentId: string | null, data: object): Field[] => [
      workspaceId(workspace),
      factId(createdMs, index, place),
      id,
      type,
      agentId === null ? 'customer' : 'agent',
      agentId,
      JSON.stringify(data),
      at(createdMs),
    ];
    yield fact(0, 'ticket.created', null, { channel: 'email' });
    if (assignee !== null)
      yield fact(1, 'ticket.assigned', personOf(workspace, 0).userId, { from: null, to: assignee.userId });
    for (let message = 1; message < messagesPerTicket; message++) {
      const { id: messageId, isFromCustomer } = messageOf(ticket, index, message);
      const direction = isFromCustomer ? 'inbound' : 'outbound';
      yield fact(1 + message, 'message.added', isFromCustomer ? null : ticketAgent(ticket), { messageId, direction });
    }
  }
}

/** Everyone was told of what was assigned to them, and has read all but the last of it. */
function* notificationRows(world: World): Generator<Field[]> {
  for (const { index, number } of drawnTickets(world)) {
    const { workspace, id, subject, assignee, createdMs } = ticketOf(world, index);
    if (assignee === null) continue;
    yield [
      workspaceId(workspace),
      notificationId(createdMs, index),
      assignee.userId,
      'assignment',
      id,
      factId(createdMs, index, 1),
      `You were assigned #${number} ${subject}`,
      index % 20 === 0 ? null : at(createdMs + 3_600_000),
      at(createdMs),
    ];
  }
}

type Definition = { drop: string; make: string };

/** Takes away what would be kept up to date row by row; returns what puts it back. */
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
