import {
  type EventType,
  type MailboxField,
  mailboxTroubles,
  type Recorded,
  type TicketEventType,
} from '../../ground/catalog/events.ts';
import type { SystemMail } from '../../ground/catalog/jobs.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import type { MessageId, TicketId, UserId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { Language } from '../../ground/lib/language.ts';

/** Types that gather: one notification for each mailbox, as long as it is unread. Each person chooses the mailboxes. */
export const gatheredTypes = ['new_ticket', 'unassigned_reply'] as const;
export type GatheredType = (typeof gatheredTypes)[number];

export const notificationTypes = [
  'mention',
  'assignment',
  'team_assignment',
  'reply',
  'colleague',
  ...gatheredTypes,
  'mailbox',
  'rule',
  'rule_paused',
  'team',
] as const;
export type NotificationType = (typeof notificationTypes)[number];

/** In each language. */
export type Title = Readonly<Record<Language, string>>;

export type Notice = {
  type: Exclude<NotificationType, GatheredType>;
  /** The people, or a query of their ids. Skips the actor and people who are no members. */
  to: readonly UserId[] | Sql;
  /** A query of the `id` of the fact's subject, and of its `name` for the title. */
  subject: Sql;
  /** Templates, in which `%s` stands for the subject's name, and for the number of tickets in a bulk change. */
  title: Title;
  titleOfMany?: Title;
  /** Such a notification tells of its message alone, even in a bulk change. */
  messageId?: MessageId;
  /** A mail that goes out at once. Digests then omit the notification. */
  mailTo?: (userId: UserId) => SystemMail;
};

/** Tells those who asked to hear of a mailbox. `gather.ts` finds them, and has the words. */
export type Gathered = { gathers: GatheredType; ticketId: TicketId; passedOver: readonly UserId[] };

type Rule<Type extends EventType> = (fact: Recorded<Type>) => readonly (Notice | Gathered)[];

/** Maps each fact to the people whom it notifies. Null: nobody. */
export const rules: { readonly [Type in EventType]: Rule<Type> | null } = {
  'ticket.created': (fact) => [mention(fact), ...(fact.isNewTicket === true ? [gathered(fact, 'new_ticket')] : [])],
  'ticket.status_changed': null,
  'ticket.assigned': (fact) => [assignment(fact)],
  'ticket.priority_changed': null,
  'ticket.mailbox_changed': null,
  'ticket.team_changed': (fact) => [teamAssignment(fact)],
  'ticket.tagged': null,
  'ticket.subject_changed': null,
  'ticket.requester_changed': null,
  'ticket.archived': null,
  'ticket.unarchived': null,
  'ticket.trashed': null,
  'ticket.restored': null,
  'ticket.spam_changed': missed,
  'ticket.continued_from': null,
  'ticket.merged': null,
  'ticket.merged_from': null,
  'ticket.unmerged': null,
  'ticket.unmerged_from': null,
  'ticket.split': null,
  'ticket.split_from': null,
  'ticket.snoozed': null,
  'ticket.woken': null,
  'message.added': (fact) =>
    fact.data.direction === 'inbound'
      ? [reply(fact, fact.data.messageId), gathered(fact, 'unassigned_reply')]
      : [mention(fact), ...(fact.isScheduled === true ? [] : [colleague(fact)])],
  'message.delivery_changed': scheduled,
  'message.delivery_handled': null,
  'message.redacted': null,
  'survey.answered': null,
  'ticket.notified': (fact) => [pointed(fact)],
  'rule.paused': (fact) => [paused(fact)],
  'mailbox.status_changed': (fact) => [trouble(fact, fact.data.to)],
  'mailbox.reminded': (fact) => [trouble(fact, fact.data.status)],
  'mailbox.automatic_mail_paused': (fact) => [automaticMail(fact)],
  'team.joined': (fact) => [joined(fact)],
};

function mention(fact: Recorded<'ticket.created' | 'message.added'>): Notice {
  const { messageId, userIds = [] } = fact.mentioned ?? {};
  return {
    type: 'mention',
    to: userIds,
    subject: ticketOf(fact),
    title: { en: 'You were mentioned in %s', de: 'Sie wurden in %s erwähnt' },
    ...(messageId !== undefined && { messageId }),
  };
}

/** A mention in the same change replaces it, so that each person gets one notification. */
function assignment(fact: Recorded<'ticket.assigned'>): Notice {
  const { to } = fact.data;
  return {
    type: 'assignment',
    to: to === null || fact.mentioned?.userIds.includes(to) === true ? [] : [to],
    subject: ticketOf(fact),
    title: { en: 'You were assigned %s', de: 'Ihnen wurde %s zugewiesen' },
    titleOfMany: { en: 'You were assigned %s tickets', de: 'Ihnen wurden %s Tickets zugewiesen' },
  };
}

/** Tells the members of the team to which a ticket moves. */
function teamAssignment(fact: Recorded<'ticket.team_changed'>): Notice {
  const { workspaceId } = fact.by;
  const { to } = fact.data;
  return {
    type: 'team_assignment',
    to:
      to === null ? [] : sql`select user_id from team_members where workspace_id = ${workspaceId} and team_id = ${to}`,
    subject: ticketOf(fact),
    title: { en: '%s was given to your team', de: '%s wurde Ihrem Team zugewiesen' },
    titleOfMany: { en: '%s tickets were given to your team', de: '%s Tickets wurden Ihrem Team zugewiesen' },
  };
}

/** A ticket that is no spam any more tells of the mail that came meanwhile. */
function missed(fact: Recorded<'ticket.spam_changed'>): readonly (Notice | Gathered)[] {
  const { missedMessageId, isNewTicket } = fact;
  if (missedMessageId === undefined) return [];
  return [reply(fact, missedMessageId), gathered(fact, isNewTicket === true ? 'new_ticket' : 'unassigned_reply')];
}

function gathered(fact: Recorded<TicketEventType>, type: GatheredType): Gathered {
  const { ticketId, mentioned, knownBy = null } = fact;
  const passedOver = [...(mentioned?.userIds ?? []), ...(knownBy === null ? [] : [knownBy])];
  return { gathers: type, ticketId, passedOver };
}

function reply(fact: Recorded<'message.added' | 'ticket.spam_changed'>, messageId: MessageId): Notice {
  return {
    type: 'reply',
    to: ownersOf(fact),
    subject: ticketOf(fact),
    title: { en: 'New reply in %s', de: 'Neue Antwort in %s' },
    messageId,
  };
}

const colleagueReplied: Title = { en: 'A teammate replied in %s', de: 'Ein Teammitglied hat in %s geantwortet' };

/** A mention or an assignment in the same change replaces it. */
function colleague(fact: Recorded<'message.added'>): Notice {
  const { by, data, mentioned, newAssigneeId = null } = fact;
  const told = [...(mentioned?.userIds ?? []), ...(newAssigneeId === null ? [] : [newAssigneeId])];
  const isNote = data.direction === 'internal';
  return {
    type: 'colleague',
    to: by.userId === null ? [] : sql`(${ownersOf(fact)}) except select unnest(${told}::uuid[])`,
    subject: ticketOf(fact),
    title: isNote ? { en: 'New note in %s', de: 'Neue Notiz in %s' } : colleagueReplied,
    titleOfMany: { en: 'Teammates wrote in %s tickets', de: 'Teammitglieder haben in %s Tickets geschrieben' },
    ...(by.cause?.kind !== 'bulk_change' && { messageId: data.messageId }),
  };
}

/** A scheduled answer leaves, or its author has the text again. */
function scheduled(fact: Recorded<'message.delivery_changed'>): readonly Notice[] {
  const { by, leavesFor, returnsTo } = fact;
  const { messageId } = fact.data;
  if (leavesFor !== undefined) {
    const to = sql`(${ownersOf(fact)}) except select ${leavesFor}::uuid`;
    return [{ type: 'colleague', to, subject: ticketOf(fact), title: colleagueReplied, messageId }];
  }
  if (returnsTo === undefined || returnsTo === null) return [];
  const title =
    by.cause?.kind === 'mail'
      ? {
          en: 'Your scheduled reply in %s was not sent, because the customer wrote first',
          de: 'Ihre geplante Antwort in %s wurde nicht gesendet, denn der Kunde hat vorher geschrieben',
        }
      : {
          en: 'Your scheduled reply in %s was not sent',
          de: 'Ihre geplante Antwort in %s wurde nicht gesendet',
        };
  return [{ type: 'reply', to: [returnsTo], subject: ticketOf(fact), title, messageId }];
}

/** The assignee and the followers. */
function ownersOf({ by: { workspaceId }, ticketId }: Recorded<TicketEventType>): Sql {
  return sql`
    select assignee_id from tickets where workspace_id = ${workspaceId} and id = ${ticketId}
    union
    select user_id from ticket_followers where workspace_id = ${workspaceId} and ticket_id = ${ticketId}`;
}

const managersMax = 50;

/** A rule points people to a ticket. */
function pointed(fact: Recorded<'ticket.notified'>): Notice {
  const { workspaceId } = fact.by;
  const { userIds, teamId } = fact.data;
  return {
    type: 'rule',
    to: sql`
      select unnest(${userIds}::uuid[])
      union
      select user_id from team_members where workspace_id = ${workspaceId} and team_id = ${teamId}`,
    subject: ticketOf(fact),
    title: { en: 'A rule points you to %s', de: 'Eine Regel weist Sie auf %s hin' },
  };
}

/** Owners and admins hear of a rule that the service has paused, because they can mend it. */
function paused({ by: { workspaceId }, data: { ruleId } }: Recorded<'rule.paused'>): Notice {
  return {
    type: 'rule_paused',
    to: managersOf(workspaceId),
    subject: sql`select id, name from rules where workspace_id = ${workspaceId} and id = ${ruleId}`,
    title: { en: 'The rule “%s” was paused', de: 'Die Regel „%s“ wurde angehalten' },
  };
}

function managersOf(workspaceId: WorkspaceId): Sql {
  return sql`
    select user_id from members
    where workspace_id = ${workspaceId} and role in ('owner', 'admin') and removed_at is null
    order by user_id
    limit ${managersMax}`;
}

/** Owners and admins hear of a mailbox that cannot be read or cannot send, because they can fix it. */
function trouble(
  { by: { workspaceId }, data: { mailboxId, field } }: Recorded<'mailbox.status_changed' | 'mailbox.reminded'>,
  status: string,
): Notice {
  return {
    type: 'mailbox',
    to: mailboxTroubles.includes(status) ? managersOf(workspaceId) : [],
    subject: sql`select id, address as name from mailboxes where workspace_id = ${workspaceId} and id = ${mailboxId}`,
    title: troubleTitle(field, status),
    mailTo: (userId) => ({ kind: 'mailbox-trouble', workspaceId, userId, mailboxId, field, status }),
  };
}

/** Mail by SMTP has no mailbox: then the workspace stands for it. */
function automaticMail({
  by: { workspaceId },
  data: { mailboxId },
}: Recorded<'mailbox.automatic_mail_paused'>): Notice {
  return {
    type: 'mailbox',
    to: managersOf(workspaceId),
    subject: sql`
      select coalesce(b.id, w.id) as id, coalesce(b.address, w.name) as name
      from workspaces w
      left join mailboxes b on b.workspace_id = ${workspaceId} and b.id = ${mailboxId}::uuid
      where w.id = ${workspaceId}`,
    title: {
      en: 'Automatic replies of %s rest: too many within an hour',
      de: 'Automatische Antworten von %s ruhen: zu viele in einer Stunde',
    },
  };
}

/** Those who lead the team hear of an admin who puts themselves into it. If nobody leads it, all members hear of it. */
function joined({ by: { workspaceId }, data: { teamId, userId: memberId } }: Recorded<'team.joined'>): Notice {
  const others = sql`
    select o.user_id from team_members o
    where o.workspace_id = ${workspaceId} and o.team_id = ${teamId} and o.user_id <> ${memberId}`;
  return {
    type: 'team',
    to: sql`
      ${others} and (o.is_lead or not exists (${others} and o.is_lead))
      order by o.user_id
      limit ${managersMax}`,
    subject: sql`select id, name from teams where workspace_id = ${workspaceId} and id = ${teamId}`,
    title: { en: 'An admin has joined your team %s', de: 'Ein Admin ist Ihrem Team %s beigetreten' },
    mailTo: (userId) => ({ kind: 'team-joined', workspaceId, userId, teamId, memberId }),
  };
}

function troubleTitle(field: MailboxField, status: string): Title {
  if (field === 'sendStatus') return { en: 'The mailbox %s cannot send', de: 'Das Postfach %s kann nicht senden' };
  if (status === 'reauthorization_required')
    return { en: 'The mailbox %s must be connected again', de: 'Das Postfach %s muss erneut verbunden werden' };
  if (status === 'unreachable')
    return { en: 'The mailbox %s is out of reach', de: 'Das Postfach %s ist nicht erreichbar' };
  return { en: 'The mailbox %s cannot be read', de: 'Das Postfach %s kann nicht gelesen werden' };
}

function ticketOf({ by: { workspaceId }, ticketId }: Recorded<TicketEventType>): Sql {
  return sql`
    select id, '#' || ticket_number || ' ' || subject as name
    from tickets
    where workspace_id = ${workspaceId} and id = ${ticketId}`;
}
