import type { ReadFact } from '../../events/activity/fact-reader.ts';
import { automation } from '../../ground/catalog/doer.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import type { Tx } from '../../ground/database/db.ts';
import { isDatabaseAway } from '../../ground/database/faults.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible } from '../../ground/database/visible.ts';
import type { CalendarId, MessageId, TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import { messageIsOfPerson } from '../../helpdesk/messages/of-person.ts';
import { isOpen } from '../calendars/open-time.ts';
import { readCalendar } from '../calendars/queries.ts';
import { type AnsweredByMachine, answerByMachine } from '../machine-mail/answer-by-machine.ts';
import { logMachineMail } from '../machine-mail/log.ts';
import type { Withheld } from '../machine-mail/withheld.ts';
import type { AutoReplyKind } from './schema.ts';

/** What of a fact an automatic reply goes by. */
export type AnsweredFact = Pick<ReadFact, 'type' | 'data' | 'cause' | 'createdAt' | 'ticket'>;

/** A mail that came, with what decides which reply answers it. */
type CameIn = {
  messageId: MessageId;
  ticketId: TicketId;
  mailboxId: string | null;
  authorEmail: string | null;
  automaticKind: string | null;
  isTicketNew: boolean;
  /** Whether the customer had written before, and nobody has answered since. */
  isWaiting: boolean;
  at: string;
};

type Candidate = { id: string; kind: AutoReplyKind; calendarId: CalendarId | null; savedReplyId: string };

/**
 * Answers the mail of a fact, if an automatic reply of the workspace is for it: one at most, the most specific. What
 * keeps it from leaving is logged. A fault is logged too, and undoes the reply alone.
 */
export async function answerAutomatically(tx: Tx, workspaceId: WorkspaceId, fact: AnsweredFact): Promise<void> {
  const mail = await findCameIn(tx, workspaceId, fact);
  if (mail === undefined) return;
  const reply = await findReply(tx, workspaceId, mail);
  if (reply === undefined) return;
  const outcome = await answerWith(tx, workspaceId, { mail, reply });
  if (!('withheld' in outcome) || isOfNoInterest(outcome.withheld)) return;
  const { messageId, ticketId, mailboxId, authorEmail } = mail;
  const logged = { kind: reply.kind, autoReplyId: reply.id, mailboxId, ticketId, messageId, to: authorEmail ?? '' };
  await logMachineMail(tx, workspaceId, { ...logged, ...outcome });
}

/** Nobody asks why a sample, a note or an old mail got no answer. */
function isOfNoInterest(withheld: Withheld): boolean {
  return withheld === 'sample' || withheld === 'not_mail' || withheld === 'not_live';
}

async function answerWith(
  tx: Tx,
  workspaceId: WorkspaceId,
  { mail, reply }: { mail: CameIn; reply: Candidate },
): Promise<AnsweredByMachine> {
  const doer = automation(workspaceId, { kind: 'auto_reply', id: reply.id, depth: 1 });
  const { ticketId, messageId } = mail;
  const { id: autoReplyId, kind, savedReplyId } = reply;
  try {
    return await tx.savepoint(() =>
      answerByMachine(tx, doer, { ticketId, messageId, savedReplyId, kind, autoReplyId }),
    );
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    return { withheld: 'failed' };
  }
}

/** The message by which a ticket began, or that was added to it, if it came from outside. */
async function findCameIn(tx: Tx, workspaceId: WorkspaceId, fact: AnsweredFact): Promise<CameIn | undefined> {
  const { type, data, cause, ticket, createdAt } = fact;
  if (ticket === null || cause?.kind === 'import') return undefined;
  // The cast holds: these are the details of the two types of facts.
  const { messageId, direction } = data as { messageId?: MessageId; direction?: string };
  const isTicketNew = type === 'ticket.created';
  if (!isTicketNew && (type !== 'message.added' || direction !== 'inbound' || messageId === undefined))
    return undefined;
  const which = isTicketNew
    ? sql`m.id = (
        select f.id from messages f
        where f.workspace_id = ${workspaceId} and f.ticket_id = ${ticket.id}
        order by coalesce(f.arrived_at, f.created_at), f.id
        limit 1)`
    : sql`m.id = ${messageId ?? null}::uuid`;
  const mail = await tx.maybe<Omit<CameIn, 'isTicketNew' | 'at'>>(sql`
    select m.id as "messageId", m.ticket_id as "ticketId", t.mailbox_id as "mailboxId",
      m.author_email as "authorEmail", m.automatic_kind as "automaticKind", ${hasUnanswered(workspaceId)} as "isWaiting"
    from messages m
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where m.workspace_id = ${workspaceId} and ${which} and m.direction = 'inbound'
      and ${ofVisible(machineScope(workspaceId), 'm.ticket_id')}
      and exists (select from auto_replies r where r.workspace_id = ${workspaceId} and r.is_active)`);
  return mail && { ...mail, isTicketNew, at: createdAt };
}

/** Whether a person wrote into the ticket of message `m` before it, and nobody of us has answered in between. */
function hasUnanswered(workspaceId: WorkspaceId): Sql {
  return sql`exists (
    select
    from (
      select m.* from messages m
      where m.workspace_id = ${workspaceId} and m.direction = 'inbound' and m.author_type = 'customer'
        and ${messageIsOfPerson}
    ) e
    where e.ticket_id = m.ticket_id and (e.created_at, e.id) < (m.created_at, m.id) and not exists (
      select from messages a
      where a.workspace_id = ${workspaceId} and a.ticket_id = m.ticket_id and a.direction = 'outbound'
        and a.automatic_kind is null and coalesce(a.delivery_status not in ('cancelled', 'scheduled'), true)
        and (a.created_at, a.id) > (e.created_at, e.id) and (a.created_at, a.id) < (m.created_at, m.id)
    )
  )`;
}

/**
 * The reply for a mail: of its mailbox before all mailboxes, with dates before always, out of hours before received. So
 * that for a holiday takes the place of the usual one.
 */
async function findReply(tx: Tx, workspaceId: WorkspaceId, mail: CameIn): Promise<Candidate | undefined> {
  const candidates = await tx.rows<Candidate>(sql`
    select r.id, r.kind, r.calendar_id as "calendarId", r.saved_reply_id as "savedReplyId"
    from auto_replies r
    where r.workspace_id = ${workspaceId} and r.is_active
      and (r.mailbox_id is null or r.mailbox_id = ${mail.mailboxId}::uuid)
      and (r.valid_from is null or r.valid_from <= ${mail.at}::timestamptz)
      and (r.valid_until is null or r.valid_until > ${mail.at}::timestamptz)
      and (case when r.kind = 'received' then ${mail.isTicketNew} else not ${mail.isWaiting} end)
    order by r.mailbox_id is null, r.valid_from is null and r.valid_until is null, r.kind = 'received', r.created_at,
      r.id`);
  for (const candidate of candidates) {
    const { calendarId } = candidate;
    const calendar = calendarId === null ? undefined : await readCalendar(tx, workspaceId, calendarId);
    if (calendar === undefined || !isOpen(calendar, Date.parse(mail.at))) return candidate;
  }
  return undefined;
}
