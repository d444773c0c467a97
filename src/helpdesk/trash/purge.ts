import { audit } from '../../access/audit/audit.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { machineScope, type Scope } from '../../ground/catalog/scope.ts';
import type { Db, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { forgetAnswers } from '../../ground/http/idempotency.ts';
import type { Clock } from '../../ground/lib/clock.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { recountStorage } from '../files/storage-quota.ts';
import { lockTree } from '../tickets/change.ts';
import { deleteTickets } from '../tickets/delete-tickets.ts';

/** Tickets in the trash, and spam, are deleted for good after so many days. */
const keptDays = 30;
const dayMs = 86_400_000;
const listedMax = 200;

/** Deletes a ticket in the trash for good. Throws 404 if it is missing, 409 if it is not in the trash. */
export async function purgeTicket(tx: Tx, actor: Actor, ticketId: TicketId): Promise<void> {
  const { workspaceId } = actor;
  const ticket = await lockHidden(tx, actor, ticketId);
  if (ticket === undefined) throw new AppError('ticket.not_found');
  if (ticket.trashedAt === null) throw new AppError('ticket.not_in_trash');
  await deleteTree(tx, workspaceId, ticket);
  const { ticketNumber, messages } = ticket;
  await audit(tx, actor, { type: 'ticket.purged', subjectId: ticketId, data: { ticketNumber, messages } });
}

/**
 * Deletes all tickets that were in the trash, or spam, for 30 days: spam counts from its last mail. Each ticket has its
 * own transaction, so a crash leaves every ticket whole or gone.
 */
export async function purgeExpired({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  const before = new Date(clock.now().getTime() - keptDays * dayMs);
  const faults = new Map<TicketId, unknown>();
  for (let isDone = false; !isDone; ) {
    const due = await listExpired(db, before, [...faults.keys()]);
    for (const { workspaceId, id } of due) {
      const purge = db.tx(async (tx) => {
        const ticket = await lockHidden(tx, machineScope(workspaceId), id);
        if (ticket !== undefined && isExpired(ticket, before)) await deleteTree(tx, workspaceId, ticket);
      });
      await purge.catch((fault) => faults.set(id, fault));
    }
    isDone = due.length < listedMax || faults.size >= listedMax;
  }
  const [first] = faults.values();
  if (first !== undefined) throw new Error(`${faults.size} tickets could not be deleted for good`, { cause: first });
}

function listExpired(db: Db, before: Date, except: readonly TicketId[]) {
  return db.rows<{ workspaceId: WorkspaceId; id: TicketId }>(sql`
    (
      select workspace_id as "workspaceId", id from tickets
      where trashed_at <= ${before} and merged_into_id is null and id <> all(${except}::uuid[])
      limit ${listedMax}
    )
    union
    (
      select workspace_id, id from tickets
      where spam_at <= ${before} and last_message_at <= ${before} and merged_into_id is null
        and id <> all(${except}::uuid[])
      limit ${listedMax}
    )
    limit ${listedMax}`);
}

type Hidden = {
  tree: TicketId[];
  ticketNumber: number;
  messages: number;
  trashedAt: string | null;
  spamAt: string | null;
  lastMessageAt: string;
  continuedInId: TicketId | null;
};

function isExpired({ trashedAt, spamAt, lastMessageAt }: Hidden, before: Date): boolean {
  const isBefore = (time: string) => new Date(time) <= before;
  return (
    (trashedAt !== null && isBefore(trashedAt)) || (spamAt !== null && isBefore(spamAt) && isBefore(lastMessageAt))
  );
}

async function lockHidden(tx: Tx, scope: Scope, ticketId: TicketId): Promise<Hidden | undefined> {
  const { workspaceId } = scope;
  const tree = await lockTree(tx, scope, ticketId);
  const ticket = await tx.maybe<Omit<Hidden, 'tree'>>(sql`
    select ticket_number as "ticketNumber", message_count as messages, trashed_at as "trashedAt",
      spam_at as "spamAt", last_message_at as "lastMessageAt", continued_in_id as "continuedInId"
    from tickets
    where workspace_id = ${workspaceId} and id = ${ticketId} and merged_into_id is null
      and ${visible(scope, 'tickets')}`);
  return ticket && { ...ticket, tree };
}

async function deleteTree(tx: Tx, workspaceId: WorkspaceId, { tree, continuedInId }: Hidden): Promise<void> {
  await deleteTickets(tx, workspaceId, tree, continuedInId);
  await forgetAnswers(tx, workspaceId, tree);
  await recountStorage(tx, workspaceId);
}
