import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { type BusinessTime, type Metrics, metricsOf } from './metrics.ts';
import { readHistories } from './read-history.ts';

/** Makes the figures of tickets anew. Repeating it changes nothing. */
export async function keepMetrics(
  tx: Tx,
  workspaceId: WorkspaceId,
  ticketIds: readonly TicketId[],
  businessTime: BusinessTime | null,
): Promise<void> {
  if (ticketIds.length === 0) return;
  const histories = await readHistories(tx, workspaceId, ticketIds);
  const figures = [...histories].map(([ticketId, history]) => ({
    ...{ ticketId, createdAt: history.createdAt, isOpen: history.status !== 'closed' },
    ...metricsOf(history, businessTime),
  }));
  await together([
    // The responses go with them. What is merged, spam, in the trash or deleted has no figures.
    tx.run(sql`
      delete from ticket_metrics where workspace_id = ${workspaceId} and ticket_id = any(${ticketIds}::uuid[])`),
    tx.run(sql`
      insert into ticket_metrics (workspace_id, ticket_id, first_customer_at, answers, customer_messages, notes,
        opened_at, closed_at, turned_at, resolved_at, resolved_by, resolution_seconds, resolution_business_seconds,
        reassignments, is_one_touch, created_at, began_open, is_open, is_reopened)
      select ${workspaceId}, r.*
      from jsonb_to_recordset(${JSON.stringify(figures.map(rowOf))}::jsonb) r (
        ticket_id uuid, first_customer_at timestamptz, answers integer, customer_messages integer, notes integer,
        opened_at timestamptz[], closed_at timestamptz[], turned_at timestamptz, resolved_at timestamptz,
        resolved_by uuid, resolution_seconds integer, resolution_business_seconds integer, reassignments integer,
        is_one_touch boolean, created_at timestamptz, began_open boolean, is_open boolean, is_reopened boolean)`),
    tx.run(sql`
      insert into ticket_responses
        (workspace_id, ticket_id, message_id, responded_at, user_id, is_first, seconds, business_seconds,
          previous_at)
      select ${workspaceId}, r.*
      from jsonb_to_recordset(${JSON.stringify(figures.flatMap(responseRowsOf))}::jsonb) r (
        ticket_id uuid, message_id uuid, responded_at timestamptz, user_id uuid, is_first boolean, seconds integer,
        business_seconds integer, previous_at timestamptz)`),
  ]);
}

type Figures = Metrics & { ticketId: TicketId; createdAt: number; isOpen: boolean };

function rowOf({ ticketId, createdAt, openedAt, closedAt, resolution, ...figures }: Figures) {
  const turns = [...openedAt, ...closedAt];
  return {
    ticket_id: ticketId,
    first_customer_at: timeOf(figures.firstCustomerAt),
    answers: figures.answers,
    customer_messages: figures.customerMessages,
    notes: figures.notes,
    opened_at: openedAt.map(timeOf),
    closed_at: closedAt.map(timeOf),
    // A ticket that came closed never turned.
    turned_at: turns.length === 0 ? '-infinity' : timeOf(Math.max(...turns)),
    resolved_at: timeOf(figures.resolvedAt),
    resolved_by: figures.resolvedBy,
    resolution_seconds: resolution?.seconds,
    resolution_business_seconds: resolution?.businessSeconds,
    reassignments: figures.reassignments,
    is_one_touch: figures.isOneTouch,
    created_at: timeOf(createdAt),
    began_open: openedAt[0] === createdAt,
    is_open: figures.isOpen,
    is_reopened: openedAt.some((at) => at > createdAt),
  };
}

function responseRowsOf({ ticketId, responses }: Figures) {
  // A mail server may accept a later answer first.
  const inOrder = responses.toSorted((one, other) => one.at - other.at);
  return inOrder.map(({ messageId, at, userId, isFirst, seconds, businessSeconds }, index) => ({
    ticket_id: ticketId,
    message_id: messageId,
    responded_at: timeOf(at),
    user_id: userId,
    is_first: isFirst,
    seconds,
    business_seconds: businessSeconds,
    previous_at: timeOf(inOrder[index - 1]?.at ?? null),
  }));
}

const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
