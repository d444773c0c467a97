import { machineScope } from '../../ground/catalog/scope.ts';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import { ofVisible, visible } from '../../ground/database/visible.ts';
import type { ContactId, MessageId, TeamId, TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { Language } from '../../ground/lib/language.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { SurveyScale } from './schema.ts';

/** The question of a mail. */
export type Asked = {
  workspaceId: WorkspaceId;
  askId: string;
  scale: SurveyScale;
  question: string | null;
  language: Language;
};

/** A survey that asks a customer now, and for whose work. */
export type Asking = Omit<Asked, 'workspaceId' | 'askId'> & {
  surveyId: string;
  contactId: ContactId;
  userId: UserId | null;
  teamId: TeamId | null;
  mailboxId: string | null;
};

type OfMessage = { workspaceId: WorkspaceId; messageId: MessageId };

/** How long the address of a page holds. */
export const askDaysMax = 30;

/** The question that a message has already: of a mail after closing, or of an earlier attempt to send. */
export function findAsk(db: Queryable, { workspaceId, messageId }: OfMessage): Promise<Asked | undefined> {
  return db.maybe<Asked>(sql`
    select a.workspace_id as "workspaceId", a.id as "askId", a.scale, a.question, a.language
    from survey_asks a
    where a.workspace_id = ${workspaceId} and a.message_id = ${messageId}`);
}

/**
 * The survey that asks below a person's answer. It asks the requester alone: whoever gets the mail beside them would
 * answer for them. That of the mailbox goes before that of all.
 */
export async function findAsking(
  db: Queryable,
  { workspaceId, messageId, to, now }: OfMessage & { to: readonly string[]; now: Date },
): Promise<Asking | undefined> {
  const [only] = to;
  if (only === undefined || to.length > 1) return undefined;
  return db.maybe<Asking>(sql`
    select s.id as "surveyId", s.scale, s.question, s.language, c.id as "contactId", m.author_user_id as "userId",
      t.team_id as "teamId", t.mailbox_id as "mailboxId"
    from messages m
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
    join surveys s on s.workspace_id = ${workspaceId} and s.ask = 'in_answer' and ${isForTicket}
    where m.workspace_id = ${workspaceId} and m.id = ${messageId} and ${visible(machineScope(workspaceId), 't')}
      and m.direction = 'outbound' and m.author_type = 'agent' and m.automatic_kind is null
      and m.forward_of_id is null and m.cc_addresses = '{}' and m.bcc_addresses = '{}'
      and t.spam_at is null and t.trashed_at is null and c.erased_at is null
      and exists (
        select from contacts o
        where o.workspace_id = ${workspaceId} and o.email_key = ${caseKey(only)}
          and coalesce(o.merged_into_id, o.id) = c.id
      )
      and ${isNotAskedLately(workspaceId, now)}
    order by s.mailbox_id is null, s.created_at, s.id
    limit 1`);
}

/** The condition that survey `s` is on, and asks for ticket `t`. */
export const isForTicket: Sql = sql`s.is_active and (s.mailbox_id is null or s.mailbox_id = t.mailbox_id)`;

/** The condition that contact `c` may be asked again by survey `s`. Contacts that were merged are one. */
export function isNotAskedLately(workspaceId: WorkspaceId, now: Date): Sql {
  return sql`not exists (
    select from survey_asks before
    where before.workspace_id = ${workspaceId}
      and before.asked_at > ${now}::timestamptz - make_interval(days => s.every_days)
      and before.contact_id in (
        select o.id from contacts o where o.workspace_id = ${workspaceId} and (o.id = c.id or o.merged_into_id = c.id)
      ))`;
}

/** Notes that a mail asks its customer. */
export async function ask(tx: Tx, { workspaceId, messageId }: OfMessage, asking: Asking): Promise<Asked> {
  const askId = tx.newId();
  const { surveyId, contactId, userId, teamId, mailboxId, scale, question, language } = asking;
  await tx.run(sql`
    insert into survey_asks (workspace_id, id, message_id, survey_id, contact_id, user_id, team_id, mailbox_id, scale,
      question, language, asked_at, expires_at)
    values (${workspaceId}, ${askId}, ${messageId}, ${surveyId}, ${contactId}, ${userId}, ${teamId}, ${mailboxId},
      ${scale}, ${question}, ${language}, ${tx.now}, ${tx.now}::timestamptz + make_interval(days => ${askDaysMax}))`);
  return { workspaceId, askId, scale, question, language };
}

/** A question to which an answer may come, and what its page shows. */
export type OpenAsk = Asked & {
  ticketId: TicketId;
  score: number | null;
  comment: string | null;
  visitor: string | null;
  answeredAt: string | null;
  changedAt: string | null;
  doubt: 'scanner' | 'fast' | 'contradiction' | null;
  isScanned: boolean;
};

/** A question whose time is not over, and whose ticket is neither in the trash nor spam. */
export function findOpenAsk(
  db: Queryable,
  { workspaceId, askId, now }: { workspaceId: WorkspaceId; askId: string; now: Date },
): Promise<OpenAsk | undefined> {
  return db.maybe<OpenAsk>(sql`
    select a.workspace_id as "workspaceId", a.id as "askId", a.scale, a.question, a.language,
      m.ticket_id as "ticketId", a.score, a.comment, a.visitor, a.answered_at as "answeredAt",
      a.changed_at as "changedAt", a.doubt, a.scanned_at is not null as "isScanned"
    from survey_asks a
    join messages m on m.workspace_id = ${workspaceId} and m.id = a.message_id
    join tickets t on t.workspace_id = ${workspaceId} and t.id = m.ticket_id
    where a.workspace_id = ${workspaceId} and a.id = ${askId} and a.expires_at > ${now}
      and ${ofVisible(machineScope(workspaceId), 'm.ticket_id')} and t.trashed_at is null and t.spam_at is null`);
}
