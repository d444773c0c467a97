import type { Actor } from '../../../ground/catalog/actor.ts';
import type { Db, Tx } from '../../../ground/database/db.ts';
import { sql } from '../../../ground/database/sql.ts';
import { nilId } from '../../../ground/lib/ids.ts';
import type { Ticket } from '../../../helpdesk/tickets/schema.ts';
import { listCalendars } from '../../calendars/queries.ts';
import type { Known } from '../batch.ts';
import { checkRule } from '../check-rule.ts';
import { readMessages } from '../read-messages.ts';
import { requireReferences } from '../references.ts';
import type { RuleContent } from '../schema.ts';
import { isTimed } from '../timers.ts';
import { looksAt, triggers } from '../triggers.ts';
import { dueMoments } from './due-moments.ts';
import { earlierState } from './earlier-state.ts';
import { judge } from './judge.ts';
import { askMoments, type Moment } from './moments.ts';
import { atFact, type History, listPastFacts, type PastFact, readHistories, readTicketsNow } from './read-past.ts';
import type { Preview, PreviewItem, PreviewRule } from './schema.ts';
import { wouldDo } from './would-do.ts';

/** Facts that are looked at together, and at most: few of them may be what the trigger waits for. */
const pageMax = 500;
const pagesMax = 20;

/**
 * What a rule would have done at the last events of its trigger, or what a rule about time would do with the open
 * tickets as they are, of those that the actor sees. Reads all of it at one moment, and cannot write.
 */
export async function previewRule(
  db: Db,
  actor: Actor,
  { rule: { isActive: _isActive, confirm: _confirm, ...given }, last = 200 }: PreviewRule,
): Promise<Preview> {
  const rule: RuleContent = { name: '', conditions: null, onRules: false, stopAfter: false, ...given };
  checkRule(rule);
  return db.tx(async (tx) => {
    await tx.run(sql`set transaction isolation level repeatable read, read only`);
    await requireReferences(tx, actor, rule);
    const calendars = new Map((await listCalendars(tx, actor.workspaceId)).map((one) => [one.id as string, one]));
    const items: PreviewItem[] = [];
    const pages = isTimed(rule) ? dueMoments(tx, actor, rule, calendars) : pastMoments(tx, actor, rule);
    for await (const moments of pages) {
      items.push(...(await itemsOf(tx, actor, rule, { moments: moments.slice(0, last - items.length), calendars })));
      if (items.length >= last) break;
    }
    const count = (matched: PreviewItem['matched']) => items.filter((item) => item.matched === matched).length;
    return { items, counts: { matched: count(true), notMatched: count(false), unknown: count(null) } };
  });
}

/** The last events of the trigger, the newest first. */
async function* pastMoments(tx: Tx, actor: Actor, rule: RuleContent): AsyncGenerator<Moment[]> {
  let before: PastFact | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const facts = await listPastFacts(tx, actor, rule.trigger, { before, limit: pageMax });
    yield await momentsOf(tx, actor, rule, facts);
    if (facts.length < pageMax) return;
    before = facts.at(-1);
  }
}

/** The moments of the facts for which the trigger waits. */
async function momentsOf(tx: Tx, actor: Actor, rule: RuleContent, facts: readonly PastFact[]): Promise<Moment[]> {
  const told = await readMessages(tx, actor.workspaceId, facts);
  const triggering = facts.filter(
    (fact) =>
      triggers(rule.trigger, { fact, told: told.get(fact.id) }) &&
      looksAt({ id: nilId, onRules: rule.onRules }, fact.cause),
  );
  const ticketIds = [...new Set(triggering.map(({ ticket }) => ticket.id))];
  const now = await readTicketsNow(tx, actor, ticketIds);
  const histories = await readHistories(tx, actor, ticketIds);
  return triggering.flatMap((fact) => {
    const [ticket, history] = [now.get(fact.ticket.id), histories.get(fact.ticket.id)];
    if (ticket === undefined || history === undefined) return [];
    const { id, createdAt } = fact;
    return [{ id, eventId: id, at: new Date(createdAt), told: told.get(id), ...stateAt(fact, ticket, history) }];
  });
}

/** The ticket at a fact, with what cannot be told of it. */
function stateAt(fact: PastFact, now: Ticket, history: History): Pick<Moment, 'ticket' | 'columns' | 'unknown'> {
  const isBeyond = !history.isWhole && !history.events.some(({ id }) => id <= fact.id);
  if (isBeyond) return { ticket: now, columns: {}, unknown: 'all' };
  const { later, ...then } = atFact(history, fact, now);
  const row = { tags: now.tags, archived_at: now.archivedAt, spam_at: now.spamAt, trashed_at: now.trashedAt };
  const { columns, unknown } = earlierState(row, later, then);
  return { ticket: { ...now, ...fieldsOf(columns) }, columns, unknown };
}

const fields: Record<string, keyof Ticket> = {
  status: 'status',
  priority: 'priority',
  assignee_id: 'assigneeId',
  team_id: 'teamId',
  mailbox_id: 'mailboxId',
  tags: 'tags',
  archived_at: 'archivedAt',
  spam_at: 'spamAt',
  trashed_at: 'trashedAt',
  merged_into_id: 'mergedIntoId',
  snoozed_until: 'snoozedUntil',
  last_message_at: 'lastMessageAt',
  attachment_count: 'attachmentCount',
};

/** The same columns by the names of the API. */
function fieldsOf(columns: Record<string, unknown>): Partial<Ticket> {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([column, value]) => {
      const field = fields[column];
      return field === undefined ? [] : [[field, value]];
    }),
  );
}

type Judging = { moments: readonly Moment[]; calendars: Known['calendars'] };

async function itemsOf(
  tx: Tx,
  actor: Actor,
  rule: RuleContent,
  { moments, calendars }: Judging,
): Promise<PreviewItem[]> {
  if (moments.length === 0) return [];
  const asked = await askMoments(tx, actor, rule.conditions, moments);
  const items: PreviewItem[] = [];
  for (const moment of moments) {
    const answers = asked.get(moment.id);
    if (answers === undefined) continue;
    const { matched, because } = judge(rule, moment, answers, calendars);
    const { id: ticketId, ticketNumber, subject } = moment.ticket;
    items.push({
      ...{ ticketId, ticketNumber, subject, eventId: moment.eventId, at: moment.at.toISOString(), matched, because },
      wouldDo: matched === true ? await wouldDo(tx, actor, rule.actions, moment) : null,
    });
  }
  return items;
}
