import { machineScope } from '../../ground/catalog/scope.ts';
import type { Tx } from '../../ground/database/db.ts';
import { together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible, visible } from '../../ground/database/visible.ts';
import type { TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { History, HistoryFact, HistoryMessage } from './metrics.ts';

/**
 * Reads what happened to tickets, and keeps these from being deleted until the commit. A merged one has no history of
 * its own: its target has its messages. Spam and the trash count nowhere.
 */
export async function readHistories(
  tx: Tx,
  workspaceId: WorkspaceId,
  ticketIds: readonly TicketId[],
): Promise<Map<TicketId, History>> {
  const scope = machineScope(workspaceId);
  const [tickets, facts, messages] = await together([
    tx.rows<{ id: TicketId; createdAt: string; status: string }>(sql`
      select t.id, t.created_at as "createdAt", t.status
      from tickets t
      where t.workspace_id = ${workspaceId} and t.id = any(${ticketIds}::uuid[]) and t.merged_into_id is null
        and t.trashed_at is null and t.spam_at is null and ${visible(scope, 't')}
      for key share of t`),
    tx.rows<FactRow>(sql`
      select a.ticket_id as "ticketId", a.type, a.data, a.actor_user_id as "userId", a.created_at as "at"
      from activity a
      where a.workspace_id = ${workspaceId} and a.ticket_id = any(${ticketIds}::uuid[])
        and a.type in ('ticket.status_changed', 'ticket.assigned') and ${ofVisible(scope, 'a.ticket_id')}
      order by a.created_at, a.id`),
    tx.rows<MessageRow>(sql`
      select m.ticket_id as "ticketId", m.id, m.direction, m.author_user_id as "userId", m.created_at as "writtenAt",
        m.delivery_sent_at as "sentAt"
      from messages m
      where m.workspace_id = ${workspaceId} and m.ticket_id = any(${ticketIds}::uuid[])
        and ${ofVisible(scope, 'm.ticket_id')}
        and case m.direction
          when 'inbound' then m.author_type = 'customer' and (m.automatic_kind is null or m.automatic_kind = 'list')
          when 'outbound' then m.author_type = 'agent' and m.automatic_kind is null and not m.is_file
            and coalesce(m.delivery_status = 'sent', true)
          else m.author_type = 'agent'
        end
      order by m.created_at, m.id`),
  ]);
  const factsOf = Map.groupBy(facts, ({ ticketId }) => ticketId);
  const messagesOf = Map.groupBy(messages, ({ ticketId }) => ticketId);
  return new Map(
    tickets.map(({ id, createdAt, status }) => [
      id,
      {
        createdAt: Date.parse(createdAt),
        status,
        facts: (factsOf.get(id) ?? []).map(factOf),
        messages: (messagesOf.get(id) ?? []).map(messageOf),
      },
    ]),
  );
}

type FactRow = { ticketId: TicketId; type: string; data: object; userId: UserId | null; at: string };

function factOf({ type, data, userId, at }: FactRow): HistoryFact {
  const change = data as { from: string; to: string };
  return type === 'ticket.assigned'
    ? { ...change, at: Date.parse(at), type: 'assigned' }
    : { from: change.from, to: change.to, at: Date.parse(at), type: 'status', userId };
}

type MessageRow = {
  ticketId: TicketId;
  id: string;
  direction: string;
  userId: UserId | null;
  writtenAt: string;
  sentAt: string | null;
};

const kinds: Record<string, HistoryMessage['kind']> = { inbound: 'customer', outbound: 'answer', internal: 'note' };

function messageOf({ id, direction, userId, writtenAt, sentAt }: MessageRow): HistoryMessage {
  const written = Date.parse(writtenAt);
  const arrived = sentAt === null ? written : Math.max(written, Date.parse(sentAt));
  return { id, kind: kinds[direction] ?? 'note', userId, writtenAt: written, at: arrived };
}
