import type { Doer } from '../../ground/catalog/doer.ts';
import type { Scope } from '../../ground/catalog/scope.ts';
import { type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { AppError, invalidRequest } from '../../ground/lib/errors.ts';
import type { TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { firstNameOf } from './first-name.ts';
import type { VariableValues } from './variables.ts';

/**
 * The conversation for which a text is filled: a ticket, or the fields of a future ticket. `mailboxId` names the
 * mailbox that sends the text, if it is not the ticket's own.
 */
export type Subject = { mailboxId?: string | null | undefined } & (
  | { ticketId: TicketId }
  | { ticketNumber?: number; subject?: string | undefined; email?: string; name?: string | null }
);

type NamedAddress = { name: string | null; email: string };
type Conversation = {
  ticketNumber: number | null;
  subject: string | null;
  contact: NamedAddress | null;
  mailbox: { name: string | null; address: string } | null;
};

/** An automation has no values of an agent. Throws 404 for an unknown ticket. */
export async function readVariableValues(tx: Tx, doer: Doer, about: Subject): Promise<VariableValues> {
  const { workspaceId, userId } = doer;
  const [conversation, agent, workspace] = await together([
    'ticketId' in about ? ofTicket(tx, doer, about) : ofNewTicket(tx, workspaceId, about),
    userId === null ? nobody : readAgent(tx, userId),
    tx.one<{ name: string }>(sql`select name from workspaces where id = ${workspaceId}`),
  ]);
  const { ticketNumber, subject, contact } = conversation;
  const { mailFrom, publicUrl } = tx.settings;
  const mailbox = conversation.mailbox ?? { name: mailFrom.name, address: mailFrom.email };
  const noName = contact === null ? 'no_contact' : 'no_name';
  return {
    'contact.firstName': known(firstNameOf(contact?.name ?? null), noName),
    'contact.name': known(contact?.name, noName),
    'contact.email': known(contact?.email, 'no_contact'),
    'ticket.number': known(ticketNumber?.toString(), 'no_ticket'),
    'ticket.subject': known(subject, 'no_ticket'),
    'ticket.url': known(ticketNumber === null ? null : `${publicUrl}/t/${ticketNumber}`, 'no_ticket'),
    'agent.name': known(agent.name, 'no_name'),
    'agent.firstName': known(firstNameOf(agent.name) ?? agent.name, 'no_name'),
    'agent.email': known(agent.email, 'no_name'),
    'mailbox.name': { value: mailbox.name ?? mailbox.address },
    'mailbox.address': { value: mailbox.address },
    'workspace.name': { value: workspace.name },
    today: { value: dayOf(tx.now, agent) },
  };
}

function known<Reason extends string>(value: string | null | undefined, missing: Reason) {
  return value ? { value } : { missing };
}

type Agent = { name: string | null; email: string | null; timeZone: string | null; locale: string | null };
const nobody: Agent = { name: null, email: null, timeZone: null, locale: null };

function readAgent(db: Queryable, userId: UserId): Promise<Agent> {
  return db.one<Agent & { email: string }>(sql`
    select name, email, preferences ->> 'timeZone' as "timeZone", preferences ->> 'locale' as locale
    from users where id = ${userId}`);
}

/** The day in the agent's time zone and language. */
function dayOf(now: Date, { timeZone, locale }: Agent): string {
  return new Intl.DateTimeFormat(locale ?? 'en-GB', { dateStyle: 'long', timeZone: timeZone ?? 'UTC' }).format(now);
}

async function ofTicket(
  db: Queryable,
  scope: Scope,
  { ticketId, mailboxId }: Extract<Subject, { ticketId: TicketId }>,
): Promise<Conversation> {
  const { workspaceId } = scope;
  const sender = mailboxId === undefined ? sql`t.mailbox_id` : sql`${mailboxId}::uuid`;
  const row = await db.maybe<{
    ticketNumber: number;
    subject: string;
    contactName: string | null;
    contactEmail: string | null;
    mailboxName: string | null;
    mailboxAddress: string | null;
  }>(sql`
    select t.ticket_number as "ticketNumber", t.subject, c.name as "contactName", c.email as "contactEmail",
      m.name as "mailboxName", m.address as "mailboxAddress"
    from tickets t
    left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id and c.erased_at is null
    left join mailboxes m on m.workspace_id = ${workspaceId} and m.id = ${sender}
      and m.status <> 'disconnected'
    where t.workspace_id = ${workspaceId} and t.id = ${ticketId} and ${visible(scope, 't')}`);
  if (row === undefined) throw new AppError('ticket.not_found');
  const { ticketNumber, subject, contactName, contactEmail, mailboxName, mailboxAddress } = row;
  return {
    ticketNumber,
    subject,
    contact: contactEmail === null ? null : { name: contactName, email: contactEmail },
    mailbox: mailboxAddress === null ? null : { name: mailboxName, address: mailboxAddress },
  };
}

/** A name that an agent gives replaces the name that the contact has. */
async function ofNewTicket(
  db: Queryable,
  workspaceId: WorkspaceId,
  { ticketNumber, subject, email, name, mailboxId }: Exclude<Subject, { ticketId: TicketId }>,
): Promise<Conversation> {
  const [contact, mailbox] = await together([
    email
      ? db.maybe<NamedAddress>(sql`
          select coalesce(s.email, c.email) as email, case when s.id is null then c.name else s.name end as name
          from contacts c
          left join contacts s on s.workspace_id = ${workspaceId} and s.id = c.merged_into_id
          where c.workspace_id = ${workspaceId} and c.email_key = ${caseKey(email)}`)
      : undefined,
    mailboxId
      ? db.maybe<{ name: string | null; address: string }>(sql`
          select m.name, m.address from mailboxes m where m.workspace_id = ${workspaceId} and m.id = ${mailboxId}`)
      : undefined,
  ]);
  if (mailboxId && mailbox === undefined) throw invalidRequest({ path: 'body.mailboxId', key: 'not_a_mailbox' });
  return {
    ticketNumber: ticketNumber ?? null,
    subject: subject || null,
    contact: email ? { email: contact?.email ?? email, name: name || (contact?.name ?? null) } : null,
    mailbox: mailbox ?? null,
  };
}
