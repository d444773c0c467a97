import { isSampleTicket } from '../../events/samples/marks.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import type { Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { workspaceRow } from '../../ground/database/workspace-row.ts';
import { nilId, type TicketId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { isCounted } from '../../helpdesk/tickets/summary.ts';
import { add } from '../calendars/open-time.ts';
import type { Batch, RunningRule } from './batch.ts';
import type { Anchor } from './schema.ts';

type Timer = { ruleId: string; ticketId: TicketId; anchor: string; dueAt: string; isDone: boolean };

export const isTimed = ({ trigger }: Pick<RunningRule, 'trigger'>): boolean => trigger.after !== undefined;

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Facts make no timer that was due longer ago: such a ticket has had it, and the sweep has taken it away. */
const lateMsMax = 30 * unitMs.d;

/** When a rule is due after a time; undefined where its calendar is gone, or never opens again. */
export function dueAfter(
  { trigger }: Pick<RunningRule, 'trigger'>,
  anchor: string,
  calendars: Batch['calendars'],
): Date | undefined {
  const { after = '', calendarId } = trigger;
  const ms = Number(after.slice(0, -1)) * unitMs[after.slice(-1) as keyof typeof unitMs];
  const from = Date.parse(anchor);
  if (!calendarId) return new Date(from + ms);
  const calendar = calendars.get(calendarId.toLowerCase());
  const due = calendar === undefined ? undefined : add(calendar, from, ms);
  return due === undefined ? undefined : new Date(due);
}

/**
 * Makes, moves and removes the timers of rules about time on tickets, as the tickets are now. A rule runs once for each
 * anchor, so a timer that is done stays until the anchor is another.
 * @param matches the tickets that get a timer even if it was due before the rule was activated
 */
export async function setTimers(
  tx: Tx,
  { workspaceId, calendars }: Pick<Batch, 'workspaceId' | 'calendars'>,
  rules: readonly RunningRule[],
  { ticketIds, matches = new Set() }: { ticketIds: readonly TicketId[]; matches?: ReadonlySet<string> },
): Promise<void> {
  if (rules.length === 0 || ticketIds.length === 0) return;
  const anchors = await readAnchors(tx, workspaceId, ticketIds);
  const known = new Map(
    (await listTimers(tx, workspaceId, ticketIds)).map((timer) => [`${timer.ruleId} ${timer.ticketId}`, timer]),
  );
  const made: Omit<Timer, 'isDone'>[] = [];
  const gone: Omit<Timer, 'isDone'>[] = [];
  for (const rule of rules) {
    for (const ticketId of ticketIds) {
      const before = known.get(`${rule.id} ${ticketId}`);
      const anchor = anchors.get(ticketId)?.[rule.trigger.since as Anchor] ?? null;
      const due = anchor === null ? undefined : dueAfter(rule, anchor, calendars);
      if (before?.isDone === true && before.anchor === anchor) continue;
      const isWanted =
        due !== undefined && (before?.anchor === anchor || matches.has(ticketId) || isInTime(due, rule, tx.now));
      if (isWanted && anchor !== null) {
        const dueAt = due.toISOString();
        if (before?.anchor !== anchor || before.dueAt !== dueAt)
          made.push({ ruleId: rule.id, ticketId, anchor, dueAt });
      } else if (before?.isDone === false) gone.push(before);
    }
  }
  await writeTimers(tx, workspaceId, made);
  await removeTimers(tx, workspaceId, gone);
}

function isInTime(due: Date, { activeSince }: RunningRule, now: Date): boolean {
  return due >= new Date(activeSince) && due.getTime() >= now.getTime() - lateMsMax;
}

type Anchors = { ticketId: TicketId; created: string } & Record<Exclude<Anchor, 'created'>, string | null>;

/** The times from which rules count. Spam, the trash, merged tickets and samples have none. */
export async function readAnchors(
  db: Queryable,
  workspaceId: WorkspaceId,
  ticketIds: readonly TicketId[],
): Promise<Map<TicketId, Anchors>> {
  const rows = await db.rows<Anchors>(sql`
    select t.id as "ticketId", t.created_at as created, t.waiting_since as "waitingSince", (
        select max(m.created_at) from messages m
        where m.workspace_id = ${workspaceId} and m.ticket_id = t.id and m.direction = 'outbound'
          and m.author_type = 'agent' and ${isCounted}
      ) as "lastAnswer", coalesce((
        select max(a.created_at) from activity a
        where a.workspace_id = ${workspaceId} and a.ticket_id = t.id and a.type = 'ticket.status_changed'
      ), t.created_at) as "statusChanged"
    from tickets t
    where t.workspace_id = ${workspaceId} and t.id = any(${ticketIds}::uuid[]) and t.merged_into_id is null
      and t.trashed_at is null and t.spam_at is null
      and not ${isSampleTicket(sql`${workspaceId}`, sql`t.id`)} and ${visible(machineScope(workspaceId), 't')}`);
  return new Map(rows.map((row) => [row.ticketId, row]));
}

function listTimers(db: Queryable, workspaceId: WorkspaceId, ticketIds: readonly TicketId[]): Promise<Timer[]> {
  return db.rows<Timer>(sql`
    select k.rule_id as "ruleId", k.ticket_id as "ticketId", k.anchor, k.due_at as "dueAt",
      k.done_at is not null as "isDone"
    from rule_timers k
    where k.workspace_id = ${workspaceId} and k.ticket_id = any(${ticketIds}::uuid[])`);
}

async function writeTimers(tx: Tx, workspaceId: WorkspaceId, timers: readonly Omit<Timer, 'isDone'>[]): Promise<void> {
  if (timers.length === 0) return;
  tx.touch(workspaceId);
  await tx.run(sql`
    insert into rule_timers (workspace_id, rule_id, ticket_id, anchor, due_at)
    select w.workspace_id, k.rule_id, k.ticket_id, k.anchor, k.due_at
    from ${workspaceRow}
    cross join unnest(${timers.map(({ ruleId }) => ruleId)}::uuid[],
      ${timers.map(({ ticketId }) => ticketId)}::uuid[], ${timers.map(({ anchor }) => anchor)}::timestamptz[],
      ${timers.map(({ dueAt }) => dueAt)}::timestamptz[]) k (rule_id, ticket_id, anchor, due_at)
    where w.workspace_id = ${workspaceId}
    on conflict (workspace_id, rule_id, ticket_id)
      do update set anchor = excluded.anchor, due_at = excluded.due_at, done_at = null`);
}

async function removeTimers(tx: Tx, workspaceId: WorkspaceId, timers: readonly Omit<Timer, 'isDone'>[]): Promise<void> {
  if (timers.length === 0) return;
  await tx.run(sql`
    delete from rule_timers k
    using unnest(${timers.map(({ ruleId }) => ruleId)}::uuid[], ${timers.map(({ ticketId }) => ticketId)}::uuid[])
      g (rule_id, ticket_id)
    where k.workspace_id = ${workspaceId} and k.rule_id = g.rule_id and k.ticket_id = g.ticket_id`);
}

type RuleKey = { workspaceId: WorkspaceId; ruleId: string };

/** Gives the open tickets that a rule about time matches their timers, in steps after the commit. */
export async function beginTimers(
  tx: Tx,
  { workspaceId, ruleId }: RuleKey,
  { trigger }: Pick<RunningRule, 'trigger'>,
): Promise<void> {
  tx.touch(workspaceId);
  await tx.run(sql`
    update rules set timers_after = ${isTimed({ trigger }) ? nilId : null}::uuid, calendar_version = null
    where workspace_id = ${workspaceId} and id = ${ruleId}`);
}

/** A rule that is activated again does not run a second time for the same anchor. */
export async function endTimers(
  tx: Tx,
  { workspaceId, ruleId, evenDone = false }: RuleKey & { evenDone?: boolean },
): Promise<void> {
  await tx.run(sql`
    delete from rule_timers
    where workspace_id = ${workspaceId} and rule_id = ${ruleId} and (${evenDone}::boolean or done_at is null)`);
}
