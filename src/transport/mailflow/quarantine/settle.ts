import { audit } from '../../../access/audit/audit.ts';
import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { ofVisible } from '../../../ground/database/visible.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import type { TicketId } from '../../../ground/lib/ids.ts';
import { changeTicket } from '../../../helpdesk/tickets/change-ticket.ts';

/**
 * Reads a mail of the quarantine again, as it comes out of a mailbox or from SMTP. Its ticket goes to the trash, unless
 * people have written there. A mail that still cannot be read comes back with a new ticket.
 */
export async function retryQuarantined(tx: Tx, actor: Actor, rawMailId: string): Promise<void> {
  const { workspaceId } = actor;
  await trashStandIn(tx, actor, rawMailId);
  // Only the next import would resume a mail of an import. As history it notifies nobody all the same.
  const released = await tx.run(sql`
    update raw_mails
    set state = 'pending', note = null, message_id = null, is_history = is_history or source = 'import',
      source = case when source = 'import' then 'smtp' else source end
    where workspace_id = ${workspaceId} and id = ${rawMailId} and state = 'quarantined'
      and erased_at is null and discarded_at is null`);
  if (released === 0) throw new AppError('mail.not_quarantined');
  tx.touch(workspaceId);
}

/**
 * Takes a mail off the quarantine. Its ticket goes to the trash with the mail attached, unless people have written
 * there.
 */
export async function discardQuarantined(tx: Tx, actor: Actor, rawMailId: string): Promise<void> {
  const { workspaceId } = actor;
  await trashStandIn(tx, actor, rawMailId);
  const mail = await tx.maybe<{ reason: string | null; from: string | null; size: number }>(sql`
    update raw_mails
    set discarded_at = ${tx.now}
    where workspace_id = ${workspaceId} and id = ${rawMailId} and state = 'quarantined'
      and erased_at is null and discarded_at is null
    returning note as reason, envelope_from as "from", size_bytes as size`);
  if (mail === undefined) throw new AppError('mail.not_quarantined');
  await audit(tx, actor, { type: 'mail.discarded', subjectId: rawMailId, data: mail });
}

/** The ticket comes before its mail: the order of locks wherever both change. */
async function trashStandIn(tx: Tx, actor: Actor, rawMailId: string): Promise<void> {
  const { workspaceId } = actor;
  const found = await tx.maybe<{ ticketId: TicketId | null }>(sql`
    select case when t.trashed_at is null and r.discarded_at is null and not exists (
        select from messages o where o.workspace_id = ${workspaceId} and o.ticket_id = t.id and o.id <> m.id
      ) then t.id end as "ticketId"
    from raw_mails r
    left join messages m on m.workspace_id = ${workspaceId} and m.id = r.message_id
    left join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where r.workspace_id = ${workspaceId} and r.id = ${rawMailId} and r.state = 'quarantined'
      and ${ofVisible(actor, 'm.ticket_id')}`);
  if (found === undefined) throw new AppError('mail.not_quarantined');
  if (found.ticketId !== null)
    await changeTicket(tx, actor, { ticketId: found.ticketId, ifMatch: undefined }, { trash: true });
}
