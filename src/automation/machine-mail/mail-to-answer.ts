import { isOwnAddress } from '../../access/workspaces/own-address.ts';
import { isSampleTicket } from '../../events/samples/marks.ts';
import type { Automation } from '../../ground/catalog/doer.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import type { MessageId, TicketId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { hasSmtp } from '../../ground/settings/mail-settings.ts';
import { messageIsOfPerson } from '../../helpdesk/messages/of-person.ts';
import { readOwnAddress } from '../../helpdesk/messages/own-address.ts';
import { findBlocked } from '../../helpdesk/spam/queries.ts';
import type { Ticket } from '../../helpdesk/tickets/schema.ts';
import { findMailbox } from '../../mail/mailboxes/queries.ts';
import type { JudgedMail, OurAddresses } from './judge-mail.ts';

export type MailToAnswer = JudgedMail & { id: MessageId; authorName: string | null };

/** The mail of a ticket that asks for an answer. Only one that came live from outside has a live original. */
export async function readMailToAnswer(
  tx: Tx,
  doer: Automation,
  { ticketId, messageId }: { ticketId: TicketId; messageId: MessageId },
): Promise<MailToAnswer | undefined> {
  const { workspaceId } = doer;
  return tx.maybe<MailToAnswer>(sql`
    select m.id, m.author_name as "authorName", m.author_email as "authorEmail",
      m.direction = 'inbound' and m.author_type = 'customer' and m.forwarded_by_id is null as "isOfCustomer",
      exists (
        select from raw_mails r
        where r.workspace_id = ${workspaceId} and r.message_id = m.id and r.source <> 'import'
          and not r.is_history and not r.is_old
      ) as "isLive",
      ${isSampleTicket(sql`${workspaceId}::uuid`, sql`m.ticket_id`)} as "isSample",
      m.automatic_kind as "automaticKind", m.headers, m.envelope_from as "envelopeFrom",
      m.authentication->>'verdict' as verdict, m.to_addresses || m.cc_addresses as "addressedTo"
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and m.id = ${messageId}
      and ${ofVisible(doer, 'm.ticket_id')}`);
}

/** The newest mail that the requester of a ticket wrote; undefined if they wrote none. */
export async function findMailOfRequester(
  tx: Tx,
  doer: Automation,
  { id: ticketId, requester }: Pick<Ticket, 'id' | 'requester'>,
): Promise<MessageId | undefined> {
  if (requester === null) return undefined;
  const { workspaceId } = doer;
  const found = await tx.maybe<{ id: MessageId }>(sql`
    select m.id
    from messages m
    where m.workspace_id = ${workspaceId} and m.ticket_id = ${ticketId} and m.direction = 'inbound'
      and m.author_contact_id = ${requester.contactId} and ${messageIsOfPerson} and ${ofVisible(doer, 'm.ticket_id')}
    order by m.created_at desc, m.id desc
    limit 1`);
  return found?.id;
}

/** What is ours among the addresses that the mail names as its sender and recipients. */
export async function readOurAddresses(
  tx: Tx,
  doer: Automation,
  { authorEmail, envelopeFrom }: Pick<JudgedMail, 'authorEmail' | 'envelopeFrom'>,
): Promise<OurAddresses> {
  const { workspaceId } = doer;
  const senders = [authorEmail, envelopeFrom].filter((email) => email !== null);
  const [own, members, blocked] = await together([
    readOwnAddress(tx, workspaceId),
    tx.rows<{ key: string }>(sql`
      select u.email_key as key
      from members m
      join users u on u.id = m.user_id
      where m.workspace_id = ${workspaceId} and m.removed_at is null
        and u.email_key = any(${senders.map(caseKey)}::text[])`),
    findBlocked(tx, workspaceId, authorEmail === null ? [] : [authorEmail]),
  ]);
  const memberKeys = new Set(members.map(({ key }) => key));
  return {
    isOwn: (email) => isOwnAddress(own, email),
    isMember: (email) => memberKeys.has(caseKey(email)),
    isBlocked: (email) => blocked.has(caseKey(email)),
  };
}

/** Whether mail leaves from the mailbox of a ticket now, or from ours. No other sender takes its place. */
export async function canSendFor(tx: Tx, doer: Automation, mailboxId: string | null): Promise<boolean> {
  if (mailboxId === null) return hasSmtp(tx.settings);
  const mailbox = await findMailbox(tx, { workspaceId: doer.workspaceId, mailboxId });
  return mailbox !== undefined && mailbox.status !== 'disconnected' && mailbox.sendStatus === 'active';
}
