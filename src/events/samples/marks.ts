import type { Queryable, Tx } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { domainOf } from '../../ground/lib/plus-address.ts';

/** Mail cannot reach this domain: nobody may register a name below `.example` (RFC 2606 §2). */
export const sampleDomain = 'sample-customers.example';

export function isSampleAddress(email: string): boolean {
  return domainOf(email) === sampleDomain;
}

/** Whether a ticket is a sample. `ticketId` is a qualified column of the enclosing statement. */
export function isSampleTicket(workspaceId: Sql, ticketId: Sql): Sql {
  return sql`exists (
    select from sample_tickets s where s.workspace_id = ${workspaceId} and s.ticket_id = ${ticketId}
  )`;
}

type Marked = { workspaceId: WorkspaceId; ticketId: TicketId };

/** @param script the conversation to play; null for a ticket that an agent makes with a sample customer */
export async function markSample(tx: Tx, { workspaceId, ticketId }: Marked, script: number | null): Promise<void> {
  await tx.run(sql`
    insert into sample_tickets (workspace_id, ticket_id, script) values (${workspaceId}, ${ticketId}, ${script})`);
}

/** A ticket that is split from a sample is a sample as well. */
export async function carrySampleMark(
  tx: Tx,
  workspaceId: WorkspaceId,
  { from, to }: { from: TicketId; to: TicketId },
): Promise<void> {
  await tx.run(sql`
    insert into sample_tickets (workspace_id, ticket_id, script)
    select ${workspaceId}, ${to}, null
    from sample_tickets
    where workspace_id = ${workspaceId} and ticket_id = ${from}`);
}

/** Throws 409 when only some of the tickets are samples: deleting the samples must not delete real messages. */
export async function refuseMixedSamples(
  tx: Tx,
  workspaceId: WorkspaceId,
  ticketIds: readonly TicketId[],
): Promise<void> {
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) from sample_tickets
    where workspace_id = ${workspaceId} and ticket_id = any(${ticketIds}::uuid[])`);
  if (count > 0 && count < ticketIds.length) throw new AppError('ticket.sample');
}

export async function listSamples(db: Queryable, workspaceId: WorkspaceId): Promise<TicketId[]> {
  const rows = await db.rows<{ ticketId: TicketId }>(sql`
    select ticket_id as "ticketId" from sample_tickets where workspace_id = ${workspaceId}`);
  return rows.map(({ ticketId }) => ticketId);
}

/**
 * Takes the customer's turn after an agent's answer.
 * @returns undefined when the ticket is not a sample, or this answer or a newer one already has a reply
 */
export async function takeReplyTurn(
  tx: Tx,
  { workspaceId, ticketId, messageId }: Marked & { messageId: MessageId },
): Promise<{ script: number | null; turn: number } | undefined> {
  return tx.maybe(sql`
    update sample_tickets set replies = replies + 1, answered_id = ${messageId}
    where workspace_id = ${workspaceId} and ticket_id = ${ticketId}
      and (answered_id is null or answered_id < ${messageId})
    returning script, replies - 1 as turn`);
}

/** Removes the sample marks before the tickets are deleted. */
export async function unmarkSamples(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await tx.run(sql`delete from sample_tickets where workspace_id = ${workspaceId}`);
}
