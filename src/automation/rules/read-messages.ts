import type { ReadFact } from '../../events/activity/fact-reader.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import type { MessageId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { MessageRecord } from './message-conditions.ts';

/** Code points of a text that a rule looks at, and file names. */
const textMax = 20_000;
const namesMax = 100;

/**
 * The message that a fact brings: a scheduled one when it leaves. A split gives a ticket a message that came long
 * before.
 */
export type ToldMessage = { message: MessageRecord; isFirst: boolean; isNew: boolean };

type Fact = Pick<ReadFact, 'id' | 'type' | 'data' | 'ticket'>;

/** The messages of which facts tell, by the facts' ids. Other facts have none, nor have those of gone messages. */
export async function readMessages(
  db: Queryable,
  workspaceId: WorkspaceId,
  facts: readonly Fact[],
): Promise<Map<string, ToldMessage>> {
  const opened = facts.flatMap(({ type, ticket }) => (type === 'ticket.created' && ticket ? [ticket.id] : []));
  const left = await listLeft(db, workspaceId, facts);
  const began = [...opened, ...left.map(({ ticketId }) => ticketId)];
  const firsts = began.length === 0 ? [] : await listFirst(db, workspaceId, began);
  const named = facts.flatMap((fact) => {
    if (fact.type === 'message.added')
      return [{ factId: fact.id, messageId: idIn(fact.data), isFirst: false, isNew: true }];
    const leaving = left.find(({ factId }) => factId === fact.id);
    if (leaving !== undefined) {
      const isFirst = firsts.some(({ messageId }) => messageId === leaving.messageId);
      return [{ factId: fact.id, messageId: leaving.messageId, isFirst, isNew: true }];
    }
    const first = fact.type === 'ticket.created' ? firsts.find((one) => one.ticketId === fact.ticket?.id) : undefined;
    return first === undefined
      ? []
      : [{ factId: fact.id, messageId: first.messageId, isFirst: true, isNew: !first.isSplit }];
  });
  const records =
    named.length === 0
      ? []
      : await listRecords(
          db,
          workspaceId,
          named.map((one) => one.messageId),
        );
  const byId = new Map<string, MessageRecord>(records.map((record) => [record.id, record]));
  return new Map(
    named.flatMap(({ factId, messageId, ...told }) => {
      const message = byId.get(messageId);
      return message === undefined ? [] : [[factId, { message, ...told }] as const];
    }),
  );
}

function idIn(data: object): string {
  return (data as { messageId: string }).messageId;
}

type Left = { factId: string; ticketId: string; messageId: string };

/** The facts that scheduled messages leave: of each, the first that it waits to be sent. */
async function listLeft(db: Queryable, workspaceId: WorkspaceId, facts: readonly Fact[]): Promise<Left[]> {
  const queued = facts.flatMap(({ id: factId, type, data, ticket }) =>
    type === 'message.delivery_changed' && ticket !== null && (data as { status: string }).status === 'queued'
      ? [{ factId, ticketId: ticket.id, messageId: idIn(data) }]
      : [],
  );
  if (queued.length === 0) return [];
  const firstQueued = await db.rows<{ factId: string }>(sql`
    select distinct on (a.data->>'messageId') a.id as "factId"
    from activity a
    join messages m on m.workspace_id = ${workspaceId} and m.id = (a.data->>'messageId')::uuid
    where a.workspace_id = ${workspaceId} and a.ticket_id = any(${queued.map(({ ticketId }) => ticketId)}::uuid[])
      and a.type = 'message.delivery_changed' and a.data->>'status' = 'queued'
      and a.data->>'messageId' = any(${queued.map(({ messageId }) => messageId)}::text[])
      and m.scheduled is not null and ${ofVisible(machineScope(workspaceId), 'm.ticket_id')}
    order by a.data->>'messageId', a.id`);
  const ids = new Set(firstQueued.map(({ factId }) => factId));
  return queued.filter(({ factId }) => ids.has(factId));
}

type First = { ticketId: string; messageId: MessageId; isSplit: boolean };

function listFirst(db: Queryable, workspaceId: WorkspaceId, ticketIds: readonly string[]): Promise<First[]> {
  return db.rows<First>(sql`
    select distinct on (m.ticket_id) m.ticket_id as "ticketId", m.id as "messageId", exists (
        select from activity a
        where a.workspace_id = ${workspaceId} and a.ticket_id = m.ticket_id and a.type = 'ticket.split_from'
      ) as "isSplit"
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = any(${ticketIds}::uuid[])
      and ${ofVisible(machineScope(workspaceId), 'm.ticket_id')}
    order by m.ticket_id, m.created_at, m.id`);
}

function listRecords(db: Queryable, workspaceId: WorkspaceId, ids: readonly string[]): Promise<MessageRecord[]> {
  return db.rows<MessageRecord>(sql`
    select m.id, m.direction, m.author_type as "authorType", m.automatic_kind as "automaticKind",
      m.author_name as "fromName", m.author_email as "fromEmail",
      m.to_addresses || m.cc_addresses || m.delivered_to_addresses as recipients,
      coalesce(m.subject, t.subject) as subject, left(coalesce(m.reply_text, m.body), ${textMax}::integer) as text,
      m.headers, array(
        select f.file_name from attachments f
        where f.workspace_id = ${workspaceId} and f.message_id = m.id
        order by f.id
        limit ${namesMax}::integer
      ) as "attachmentNames", m.authentication->>'verdict' as verdict,
      m.scheduled is not null as "isScheduled"
    from messages m
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where m.workspace_id = ${workspaceId} and m.id = any(${ids}::uuid[])
      and ${ofVisible(machineScope(workspaceId), 'm.ticket_id')}`);
}
