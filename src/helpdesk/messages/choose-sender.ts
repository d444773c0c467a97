import { isSampleTicket } from '../../events/samples/marks.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { isHiddenBy, visible } from '../../ground/database/visible.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { hasSmtp } from '../../ground/settings/mail-settings.ts';
import { findSender } from '../../mail/mailboxes/addresses.ts';
import { findMailbox } from '../../mail/mailboxes/queries.ts';

/**
 * Chooses the mailbox that sends a ticket's mail, and its address, so that no mail becomes a file while a mailbox can
 * send it.
 */

/**
 * The mailbox for a new ticket's mail: the last one that the member wrote from, else the first by its address.
 * Considers only mailboxes that can send, last those whose team would hide the ticket. Looks for the last one among the
 * newest tickets.
 */
async function findWorking(db: Queryable, actor: Actor): Promise<string | null> {
  const { workspaceId, userId } = actor;
  const found = await db.maybe<{ id: string }>(sql`
    select b.id
    from mailboxes b
    left join (
      select t.mailbox_id, max(m.created_at) as used_at
      from (
        select id, mailbox_id from tickets
        where workspace_id = ${workspaceId} and mailbox_id is not null and ${visible(actor, 'tickets')}
        order by last_message_at desc, id desc
        limit 100
      ) t
      join messages m on m.workspace_id = ${workspaceId} and m.ticket_id = t.id
      where m.author_user_id = ${userId} and m.direction = 'outbound'
      group by t.mailbox_id
    ) u on u.mailbox_id = b.id
    where b.workspace_id = ${workspaceId} and b.status in ('active', 'error') and b.send_status = 'active'
    order by ${isHiddenBy(workspaceId, { teamId: sql`b.team_id`, userId: sql`${userId}::uuid` })},
      b.status = 'active' desc, u.used_at desc nulls last, b.address_key, b.id
    limit 1`);
  return found?.id ?? null;
}

async function hasMailboxes(db: Queryable, workspaceId: WorkspaceId): Promise<boolean> {
  const { some } = await db.one<{ some: boolean }>(sql`
    select exists (
      select from mailboxes where workspace_id = ${workspaceId} and status <> 'disconnected'
    ) as some`);
  return some;
}

/**
 * Throws 409 if there are mailboxes and nothing can send.
 * @param mailboxId the caller's choice; null asks for SMTP
 * @returns null for SMTP, or for a file where nothing else is set up
 */
export async function chooseSender(tx: Tx, actor: Actor, mailboxId?: string | null): Promise<string | null> {
  if (mailboxId) return mailboxId;
  const canSmtp = hasSmtp(tx.settings);
  if (mailboxId === null && canSmtp) return null;
  const [working, some] = await together([findWorking(tx, actor), hasMailboxes(tx, actor.workspaceId)]);
  if (working === null && some && !canSmtp) throw new AppError('mailbox.none_sends');
  return working;
}

/**
 * The mailbox for an answer: that of its ticket, or another one if that is not connected and SMTP cannot send.
 * Samples keep none, because their mail never leaves.
 */
export async function chooseAnswerSender(
  tx: Tx,
  actor: Actor,
  { ticketId, mailboxId }: { ticketId: TicketId; mailboxId: string | null },
): Promise<string | null> {
  if (hasSmtp(tx.settings)) return mailboxId;
  const { workspaceId } = actor;
  const { isSettled } = await tx.one<{ isSettled: boolean }>(sql`
    select ${isSampleTicket(sql`${workspaceId}::uuid`, sql`${ticketId}::uuid`)} or exists (
      select from mailboxes b
      where b.workspace_id = ${workspaceId} and b.id = ${mailboxId} and b.status <> 'disconnected'
    ) as "isSettled"`);
  return isSettled ? mailboxId : ((await chooseSender(tx, actor)) ?? mailboxId);
}

/**
 * The address from which an answer is to leave, as its mailbox spells it. Null leaves the choice to the delivery.
 * Throws 400 for an address from which the mailbox cannot send: nothing leaves from another address instead.
 */
export async function chooseFrom(
  db: Queryable,
  workspaceId: WorkspaceId,
  {
    fromAddress,
    mailboxId,
    isMailed,
  }: { fromAddress?: string | undefined; mailboxId: string | null; isMailed: boolean },
): Promise<string | null> {
  if (fromAddress === undefined) return null;
  const path = 'body.fromAddress';
  if (!isMailed) throw invalidRequest({ path, key: 'not_mailed' });
  const mailbox = mailboxId === null ? undefined : await findMailbox(db, { workspaceId, mailboxId });
  const from = mailbox && mailbox.status !== 'disconnected' ? findSender(mailbox, fromAddress) : undefined;
  if (from === undefined) throw invalidRequest({ path, key: 'not_a_from_address' });
  return from;
}
