import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { type Sql, sql } from '../../../ground/database/sql.ts';
import { visible } from '../../../ground/database/visible.ts';
import { nilId } from '../../../ground/lib/ids.ts';
import type { Ticket } from '../../../helpdesk/tickets/schema.ts';
import { conditionsIn } from '../conditions.ts';
import type { ToldMessage } from '../read-messages.ts';
import type { RuleConditions, TicketCondition } from '../schema.ts';
import { answerKey, readTicketAnswers, type TicketAnswers } from '../ticket-conditions.ts';
import type { BesideTheRow, StateColumn } from './earlier-state.ts';

/** A ticket at a moment of the past, or now. */
export type Moment = {
  /** The fact, or the ticket for a rule about time. */
  id: string;
  eventId: string | null;
  at: Date;
  told: ToldMessage | undefined;
  ticket: Ticket;
  /** The columns of the row that were other then. */
  columns: Record<string, unknown>;
  /** `all`: nothing is known of the ticket then. */
  unknown: ReadonlySet<StateColumn | BesideTheRow> | 'all';
};

type Filter = keyof TicketCondition;

/** What the filters read. */
const reads: { [Name in Filter]-?: StateColumn | BesideTheRow | 'nothing that changes' } = {
  status: 'status',
  assignee: 'assignee_id',
  mailbox: 'mailbox_id',
  team: 'team_id',
  hasAttachment: 'attachment_count',
  createdFrom: 'nothing that changes',
  createdTo: 'nothing that changes',
  lastMessageFrom: 'last_message_at',
  lastMessageTo: 'last_message_at',
  priority: 'priority',
  tags: 'tags',
  contact: 'contact',
  delivery: 'delivery',
  archived: 'archived_at',
  spam: 'spam_at',
  snoozed: 'snoozed_until',
};

export function isKnown({ unknown }: Moment, filter: Filter): boolean {
  const read = reads[filter];
  if (read === 'nothing that changes') return true;
  return unknown !== 'all' && !unknown.has(read);
}

/** One filter of a condition, by the place of the condition. */
export type Part = { path: string; filter: Filter };
export type Asked = { ticket: TicketAnswers; answerTo: (part: Part) => boolean | undefined };

/**
 * Asks the tickets of all moments at once: each filter of each condition by itself, so that one can be named, and so
 * that the others count where one cannot be told.
 */
export async function askMoments(
  tx: Tx,
  actor: Actor,
  conditions: RuleConditions | null,
  moments: readonly Moment[],
): Promise<Map<string, Asked>> {
  const parts = partsOf(conditions);
  const single = parts.map(({ value, filter }) => ({ ticket: { [filter]: value } }));
  const answers = await readTicketAnswers(tx, actor.workspaceId, [{ id: nilId, conditions: { all: single } }], {
    ...{ ticketIds: moments.map(({ ticket }) => ticket.id), at: tx.now },
    ...{ source: rowsOf(actor, moments, tx.now), key: sql`t.moment_id` },
  });
  const byId = new Map(moments.map((moment) => [moment.id, moment]));
  return new Map(
    answers.flatMap(({ key, ...ticket }) => {
      const moment = byId.get(key);
      return moment === undefined ? [] : [[key, askedOf(moment, parts, ticket)] as const];
    }),
  );
}

function partsOf(conditions: RuleConditions | null): (Part & { value: unknown })[] {
  return conditionsIn(conditions).flatMap(({ condition: { ticket }, path }) =>
    // The schema allows no other names.
    Object.entries(ticket ?? {}).map(([filter, value]) => ({ path, filter: filter as Filter, value })),
  );
}

function askedOf(moment: Moment, parts: readonly Part[], { answers, ...row }: TicketAnswers): Asked {
  const answerTo = ({ path, filter }: Part): boolean | undefined => {
    const place = parts.findIndex((part) => part.path === path && part.filter === filter);
    return isKnown(moment, filter) ? answers.get(answerKey(nilId, `conditions.all.${place}`)) : undefined;
  };
  const whole = new Map<string, boolean>();
  for (const [path, group] of Map.groupBy(parts, (part) => part.path)) {
    const said = group.map(answerTo);
    if (said.includes(false)) whole.set(answerKey(nilId, path), false);
    else if (!said.includes(undefined)) whole.set(answerKey(nilId, path), true);
  }
  return { ticket: { ...row, answers: whole }, answerTo };
}

/**
 * Rows of the shape of `tickets`, as they were. A snooze ends as long after now as it then did after the moment,
 * because the statement knows one time alone.
 */
function rowsOf(actor: Actor, moments: readonly Moment[], now: Date): Sql {
  const columns = moments.map(({ columns: own, at, ticket: { snoozedUntil } }) => {
    const untilMs = snoozedUntil === null ? null : Date.parse(snoozedUntil) - at.getTime() + now.getTime();
    return JSON.stringify({ ...own, snoozed_until: untilMs === null ? null : new Date(untilMs).toISOString() });
  });
  return sql`(
    select moment.id as moment_id, earlier.*
    from unnest(
        ${moments.map(({ id }) => id)}::uuid[],
        ${moments.map(({ ticket }) => ticket.id)}::uuid[],
        ${columns}::text[]
      ) moment (id, ticket_id, columns)
    join tickets n on n.workspace_id = ${actor.workspaceId} and n.id = moment.ticket_id
    cross join lateral jsonb_populate_record(n, moment.columns::jsonb) earlier
    where ${visible(actor, 'n')})`;
}
