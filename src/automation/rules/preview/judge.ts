import { nilId } from '../../../ground/lib/ids.ts';
import { answersOf, type Known } from '../batch.ts';
import { conditionsIn, decide } from '../conditions.ts';
import type { MessageRecord } from '../message-conditions.ts';
import type { MessageCondition, Rule, TicketCondition } from '../schema.ts';
import { asksOfSpam } from '../ticket-conditions.ts';
import { type Asked, isKnown, type Moment } from './moments.ts';
import type { PreviewItem } from './schema.ts';

type Because = NonNullable<PreviewItem['because']>;
export type Judged = { matched: true; because: null } | { matched: false | null; because: Because };

type Judging = Pick<Rule, 'conditions' | 'trigger'>;

/** Whether a rule would have run at a moment, and else what said no, or what cannot be told. */
export function judge(rule: Judging, moment: Moment, asked: Asked, calendars: Known['calendars']): Judged {
  const { isReal, isSpam } = asked.ticket;
  if (!isReal) return { matched: false, because: { path: 'ticket', seen: null } };
  if (isSpam && !asksOfSpam(rule)) return { matched: false, because: { path: 'ticket.spam', seen: true } };
  const known = { told: moment.told, at: moment.at, calendars };
  const answers = answersOf({ id: nilId, conditions: rule.conditions }, known, asked.ticket);
  const decided = decide(rule.conditions, answers);
  if (decided?.isMet === true) return { matched: true, because: null };
  const path = decided?.saidNo ?? conditionsIn(rule.conditions).find((one) => !answers.has(one.path))?.path ?? 'ticket';
  return { matched: decided === undefined ? null : false, because: becauseAt(rule, path, moment, asked) };
}

function becauseAt(rule: Judging, path: string, moment: Moment, asked: Asked): Because {
  const condition = conditionsIn(rule.conditions).find((one) => one.path === path)?.condition;
  if (condition?.message !== undefined) {
    const [test = ''] = Object.keys(condition.message);
    return { path: `${path}.message.${test}`, seen: moment.told ? seenIn(condition.message, moment.told) : null };
  }
  if (condition?.hours !== undefined)
    return { path: `${path}.hours`, seen: condition.not === true ? condition.hours.isOpen : !condition.hours.isOpen };
  // The schema allows no other names.
  const filters = Object.keys(condition?.ticket ?? {}) as (keyof TicketCondition)[];
  const saidNo = filters.find((filter) => asked.answerTo({ path, filter }) !== true) ?? filters[0];
  if (saidNo === undefined) return { path, seen: null };
  return { path: `${path}.ticket.${saidNo}`, seen: isKnown(moment, saidNo) ? seenOf(moment, saidNo) : null };
}

function seenOf({ ticket, at }: Moment, filter: keyof TicketCondition): Because['seen'] {
  switch (filter) {
    case 'assignee':
      return ticket.assigneeId ?? 'none';
    case 'team':
      return ticket.teamId ?? 'none';
    case 'mailbox':
      return ticket.mailboxId;
    case 'contact':
      return ticket.requester?.email ?? null;
    case 'hasAttachment':
      return ticket.attachmentCount > 0;
    case 'archived':
      return ticket.archivedAt !== null;
    case 'snoozed':
      return ticket.snoozedUntil !== null && Date.parse(ticket.snoozedUntil) > at.getTime();
    case 'spam':
      return ticket.spamAt !== null;
    case 'createdFrom':
    case 'createdTo':
      return ticket.createdAt;
    case 'lastMessageFrom':
    case 'lastMessageTo':
      return ticket.lastMessageAt;
    case 'delivery':
      return ticket.deliveryProblem;
    default:
      return ticket[filter];
  }
}

const seenTextMax = 200;

function seenIn(
  { from, fromDomain, to, subject, body, header, attachmentName, verdict }: MessageCondition,
  { message, isFirst }: { message: MessageRecord; isFirst: boolean },
): Because['seen'] {
  if (from !== undefined || fromDomain !== undefined) return message.fromEmail;
  if (to !== undefined) return message.recipients;
  if (subject !== undefined) return message.subject;
  if (body !== undefined) return message.text.slice(0, seenTextMax);
  if (header !== undefined) return message.headers?.[header.name.toLowerCase()] ?? null;
  if (attachmentName !== undefined) return message.attachmentNames;
  if (verdict !== undefined) return message.verdict;
  return isFirst;
}
