import { isSampleTicket } from '../../events/samples/marks.ts';
import { type Automation, automation } from '../../ground/catalog/doer.ts';
import type { Queryable } from '../../ground/database/db.ts';
import { joinSql, plannedAnew, type Sql, sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { nilId, type TicketId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { conditionsOfFilters } from '../../inbox/lists/filters.ts';
import { conditionsIn } from './conditions.ts';
import type { Rule, TicketCondition } from './schema.ts';

/** What the tickets' own row says of the conditions of rules. */
export type TicketAnswers = {
  ticketId: TicketId;
  /** Neither a sample, nor merged, nor in the trash. */
  isReal: boolean;
  isSpam: boolean;
  /** By rule and place of the condition, without `not`. */
  answers: Map<string, boolean>;
};

type Asking = Pick<Rule, 'id' | 'conditions'>;
type Question = { key: string; condition: TicketCondition };

export const answerKey = (ruleId: string, path: string): string => `${ruleId} ${path}`;

/**
 * Asks all conditions about tickets at once, each as a column of one statement.
 * @param at the time at which a snooze is over or not
 * @param source the tickets as they are, or as they were: rows of the shape of `tickets`
 * @param key a column of the source that tells its rows apart
 */
export async function readTicketAnswers(
  db: Queryable,
  workspaceId: WorkspaceId,
  rules: readonly Asking[],
  {
    ticketIds,
    at,
    source = sql`tickets`,
    key = sql`t.id`,
  }: { ticketIds: readonly TicketId[]; at: Date; source?: Sql; key?: Sql },
): Promise<(TicketAnswers & { key: string })[]> {
  const questions = rules.flatMap(questionsOf);
  const machine = automation(workspaceId, { kind: 'rule', id: nilId, depth: 0 });
  const columns = await Promise.all(questions.map(({ condition }) => holds(db, machine, condition, at)));
  const rows = await db.rows<Omit<TicketAnswers, 'answers'> & { key: string; answers: boolean[] }>(
    plannedAnew(sql`
      select ${key} as key, t.id as "ticketId",
        t.merged_into_id is null and t.trashed_at is null
          and not ${isSampleTicket(sql`${workspaceId}`, sql`t.id`)} as "isReal",
        t.spam_at is not null as "isSpam", array[${joinSql(columns, ', ')}]::boolean[] as answers
      from ${source} t
      where t.workspace_id = ${workspaceId} and t.id = any(${ticketIds}::uuid[]) and ${visible(machine, 't')}`),
  );
  return rows.map(({ answers, ...row }) => ({
    ...row,
    answers: new Map(questions.map(({ key }, index) => [key, answers[index] === true])),
  }));
}

function questionsOf({ id, conditions }: Asking): Question[] {
  return conditionsIn(conditions).flatMap(({ condition: { ticket }, path }) =>
    ticket === undefined ? [] : [{ key: answerKey(id, path), condition: ticket }],
  );
}

/** One condition on `t`, true or false. */
async function holds(
  db: Queryable,
  machine: Automation,
  { archived, snoozed, spam, ...filters }: TicketCondition,
  at: Date,
): Promise<Sql> {
  const parts = [
    ...(await conditionsOfFilters(db, machine, filters)),
    ...(archived === 'true' ? [sql`t.archived_at is not null`] : []),
    ...(archived === 'false' ? [sql`t.archived_at is null`] : []),
    ...(snoozed === undefined ? [] : [sql`coalesce(t.snoozed_until > ${at}, false) = ${snoozed}::boolean`]),
    ...(spam === undefined ? [] : [sql`(t.spam_at is not null) = ${spam}::boolean`]),
  ];
  return parts.length === 0 ? sql`true` : sql`(${joinSql(parts, ' and ')}) is true`;
}

/** A rule sees spam only if it asks for it. */
export function asksOfSpam({ conditions, trigger }: Pick<Rule, 'conditions' | 'trigger'>): boolean {
  if (trigger.event === 'ticket.spam_changed') return true;
  return conditionsIn(conditions).some(({ condition }) => condition.ticket?.spam !== undefined);
}
