import type { Queryable } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { isOpen } from '../calendars/open-time.ts';
import { listCalendars } from '../calendars/queries.ts';
import type { Calendar } from '../calendars/schema.ts';
import { type Answers, conditionsIn, decide } from './conditions.ts';
import { messageIs } from './message-conditions.ts';
import type { ToldMessage } from './read-messages.ts';
import type { Rule } from './schema.ts';
import { answerKey, asksOfSpam, type TicketAnswers } from './ticket-conditions.ts';

/** What a rule is at run time. */
export type RunningRule = Pick<
  Rule,
  'id' | 'name' | 'trigger' | 'conditions' | 'actions' | 'onRules' | 'stopAfter' | 'version'
> & { activeSince: string };

/** The rules that run, in their order, and the calendars that they ask. */
export type Batch = { workspaceId: WorkspaceId; rules: RunningRule[]; calendars: Map<string, Calendar> };

export async function openBatch(db: Queryable, workspaceId: WorkspaceId): Promise<Batch> {
  const rules = await db.rows<RunningRule>(sql`
    select r.id, r.name, r.trigger, r.conditions, r.actions, r.on_rules as "onRules", r.stop_after as "stopAfter",
      r.version, r.active_since as "activeSince"
    from rules r
    where r.workspace_id = ${workspaceId} and r.active_since is not null
    order by r.position, r.id`);
  const calendars = rules.some(asksCalendar) ? await listCalendars(db, workspaceId) : [];
  return { workspaceId, rules, calendars: new Map(calendars.map((one) => [one.id, one])) };
}

function asksCalendar({ trigger, conditions }: RunningRule): boolean {
  return Boolean(trigger.calendarId) || conditionsIn(conditions).some(({ condition }) => condition.hours !== undefined);
}

/** What is known of a moment, beside the ticket. */
export type Known = { told: ToldMessage | undefined; at: Date; calendars: ReadonlyMap<string, Calendar> };

/** The answers to the conditions of a rule: those about the ticket only if it is given. */
export function answersOf(
  { id, conditions }: Pick<Rule, 'id' | 'conditions'>,
  { told, at, calendars }: Known,
  ticket: TicketAnswers | undefined,
): Answers {
  const found = new Map<string, boolean>();
  for (const { condition, path } of conditionsIn(conditions)) {
    const { message, hours, not = false } = condition;
    let answer: boolean | undefined;
    if (message !== undefined) answer = told !== undefined && messageIs(message, told.message, told.isFirst);
    else if (hours !== undefined) answer = isOpenAt(calendars.get(hours.calendarId), at) === hours.isOpen;
    else answer = ticket?.answers.get(answerKey(id, path));
    if (answer !== undefined) found.set(path, answer !== not);
  }
  return found;
}

/** A calendar that is gone is closed. */
function isOpenAt(calendar: Calendar | undefined, at: Date): boolean {
  return calendar !== undefined && isOpen(calendar, at.getTime());
}

/** Whether the conditions may still hold for some ticket. So most rules need no look at the ticket. */
export function mayHold(rule: Pick<Rule, 'id' | 'conditions'>, known: Known): boolean {
  return decide(rule.conditions, answersOf(rule, known, undefined))?.isMet !== false;
}

/** Whether a rule runs on a ticket, and else the place of what says no: of a condition, or the ticket itself. */
export function verdictOf(
  rule: Pick<Rule, 'id' | 'conditions' | 'trigger'>,
  known: Known,
  ticket: TicketAnswers,
): { isMet: true } | { isMet: false; saidNo: string } {
  if (!ticket.isReal) return { isMet: false, saidNo: 'ticket' };
  if (ticket.isSpam && !asksOfSpam(rule)) return { isMet: false, saidNo: 'ticket.spam' };
  return decide(rule.conditions, answersOf(rule, known, ticket)) ?? { isMet: false, saidNo: 'ticket' };
}
