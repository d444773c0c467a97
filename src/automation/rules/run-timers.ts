import { machineScope } from '../../ground/catalog/scope.ts';
import type { Db, Queryable, Tx } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import type { TicketId, WorkspaceId } from '../../ground/lib/ids.ts';
import type { DueRow, DueScope } from '../../ground/queue/due-work.ts';
import { lockReader } from '../readers/keep-reader.ts';
import { type Batch, openBatch, type RunningRule, verdictOf } from './batch.ts';
import { runRule } from './run-rule.ts';
import { readTicketAnswers } from './ticket-conditions.ts';
import { isTimed, setTimers } from './timers.ts';

/** Timers of one commit, and tickets that get their timers in one. */
const timersMax = 25;
/** Of so many that are due, the first of each ticket is taken. */
const lookedAtMax = 200;
const ticketsMax = 500;
const commitsMax = 20;

/** Lists the workspaces with timers that are due, or that a rule or a calendar has to make or move. */
export function listDueTimers(db: Queryable, { now, within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select r.workspace_id as "workspaceId", r.id
    from rule_readers r
    where (
      exists (
        select from rule_timers k
        where k.workspace_id = r.workspace_id and k.due_at <= ${now} and k.done_at is null)
      or exists (
        select from rules u
        left join calendars c on c.workspace_id = r.workspace_id and c.id = (u.trigger->>'calendarId')::uuid
        where u.workspace_id = r.workspace_id and u.active_since is not null
          and (u.timers_after is not null or c.version is distinct from u.calendar_version)))
      ${within(sql`r.workspace_id`)} ${except(sql`r.id`)}
    order by r.workspace_id
    limit ${rowsMax}`);
}

/** Makes what timers are missing, and runs rules on the tickets whose time has come. */
export async function workOnTimers(db: Db, workspaceId: WorkspaceId): Promise<void> {
  for (let commits = 0; commits < commitsMax; commits++) {
    const isMore = await db.tx(async (tx) => {
      // One after another with the reader, so that both see rules and tickets as they are.
      await lockReader(tx, workspaceId);
      const batch = await openBatch(tx, workspaceId);
      const made = await makeTimers(tx, batch);
      return (await runDue(tx, batch)) || made;
    });
    if (!isMore) return;
  }
}

type Unmade = { id: string; after: string | null; calendarVersion: number | null; isOutdated: boolean };

/** @returns whether there may be more to make */
async function makeTimers(tx: Tx, batch: Batch): Promise<boolean> {
  const { workspaceId } = batch;
  const unmade = await tx.maybe<Unmade>(sql`
    select u.id, u.timers_after as after, c.version as "calendarVersion",
      c.version is distinct from u.calendar_version as "isOutdated"
    from rules u
    left join calendars c on c.workspace_id = ${workspaceId} and c.id = (u.trigger->>'calendarId')::uuid
    where u.workspace_id = ${workspaceId} and u.active_since is not null
      and (u.timers_after is not null or c.version is distinct from u.calendar_version)
    order by u.id
    limit 1`);
  const rule = batch.rules.find(({ id }) => id === unmade?.id);
  if (unmade === undefined || rule === undefined) return false;
  if (unmade.isOutdated) await moveTimers(tx, batch, rule);
  const after = unmade.after === null ? null : await makeForOpen(tx, batch, rule, unmade.after);
  await tx.run(sql`
    update rules set timers_after = ${after}, calendar_version = ${unmade.calendarVersion}
    where workspace_id = ${workspaceId} and id = ${rule.id}`);
  return true;
}

/** Counts the waiting timers of a rule anew, because its calendar has changed. */
async function moveTimers(tx: Tx, batch: Batch, rule: RunningRule): Promise<void> {
  const waiting = await tx.rows<{ ticketId: TicketId }>(sql`
    select k.ticket_id as "ticketId" from rule_timers k
    where k.workspace_id = ${batch.workspaceId} and k.rule_id = ${rule.id} and k.done_at is null`);
  for (let from = 0; from < waiting.length; from += ticketsMax) {
    const ticketIds = waiting.slice(from, from + ticketsMax).map(({ ticketId }) => ticketId);
    await setTimers(tx, batch, [rule], { ticketIds });
  }
}

/** Gives the next open tickets that a rule matches their timers. @returns the last ticket; null if there are no more */
async function makeForOpen(tx: Tx, batch: Batch, rule: RunningRule, after: string): Promise<string | null> {
  const { workspaceId } = batch;
  const open = await tx.rows<{ id: TicketId }>(sql`
    select t.id from tickets t
    where t.workspace_id = ${workspaceId} and t.id > ${after} and t.status <> 'closed'
      and ${visible(machineScope(workspaceId), 't')}
    order by t.id
    limit ${ticketsMax}`);
  const ticketIds = open.map(({ id }) => id);
  const answers = await readTicketAnswers(tx, workspaceId, [rule], { ticketIds, at: tx.now });
  const known = { told: undefined, at: tx.now, calendars: batch.calendars };
  const matching = answers.filter((one) => verdictOf(rule, known, one).isMet).map(({ ticketId }) => ticketId);
  await setTimers(tx, batch, [rule], { ticketIds: matching, matches: new Set(matching) });
  return open.length < ticketsMax ? null : (ticketIds.at(-1) ?? null);
}

type Due = { ruleId: string; ticketId: TicketId };

/** Runs one timer of a ticket at most, because its rule may move the others. @returns whether there may be more */
async function runDue(tx: Tx, batch: Batch): Promise<boolean> {
  const { workspaceId } = batch;
  const due = await listDue(tx, workspaceId);
  // What has happened since may not have been read yet.
  const ticketIds = [...new Set(due.map(({ ticketId }) => ticketId))];
  await setTimers(tx, batch, batch.rules.filter(isTimed), { ticketIds });
  for (const { ruleId, ticketId } of await listDue(tx, workspaceId)) {
    await tx.run(sql`
      update rule_timers set done_at = ${tx.now}
      where workspace_id = ${workspaceId} and rule_id = ${ruleId} and ticket_id = ${ticketId}`);
    const rule = batch.rules.find(({ id }) => id === ruleId);
    if (rule !== undefined) await runOnTime(tx, batch, rule, ticketId);
  }
  return due.length > 0;
}

function listDue(tx: Tx, workspaceId: WorkspaceId): Promise<Due[]> {
  return tx.rows<Due>(sql`
    select d.rule_id as "ruleId", d.ticket_id as "ticketId"
    from (
      select k.rule_id, k.ticket_id, k.due_at,
        row_number() over (partition by k.ticket_id order by k.due_at, u.position, k.rule_id) as turn
      from (
        select w.rule_id, w.ticket_id, w.due_at
        from rule_timers w
        where w.workspace_id = ${workspaceId} and w.due_at <= ${tx.now} and w.done_at is null
        order by w.due_at, w.rule_id, w.ticket_id
        limit ${lookedAtMax}
      ) k
      join rules u on u.workspace_id = ${workspaceId} and u.id = k.rule_id
    ) d
    where d.turn = 1
    order by d.due_at, d.ticket_id
    limit ${timersMax}`);
}

async function runOnTime(tx: Tx, batch: Batch, rule: RunningRule, ticketId: TicketId): Promise<void> {
  const { workspaceId, calendars } = batch;
  const [answers] = await readTicketAnswers(tx, workspaceId, [rule], { ticketIds: [ticketId], at: tx.now });
  if (answers === undefined || !verdictOf(rule, { told: undefined, at: tx.now, calendars }, answers).isMet) return;
  const { isPaused } = await runRule(tx, rule, { workspaceId, ticketId, factId: null, cause: null, messageId: null });
  if (isPaused) batch.rules = batch.rules.filter(({ id }) => id !== rule.id);
}
