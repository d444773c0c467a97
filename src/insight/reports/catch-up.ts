import { factsFromNow, hasNews, type ReadFact, readOn } from '../../events/activity/fact-reader.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import type { Db, Queryable, Tx } from '../../ground/database/db.ts';
import { pastTransaction, readMoment } from '../../ground/database/moment.ts';
import { sql } from '../../ground/database/sql.ts';
import { visible } from '../../ground/database/visible.ts';
import { idAt, nilId, type TicketId, type WorkspaceId } from '../../ground/lib/ids.ts';
import type { DueRow, DueScope } from '../../ground/queue/due-work.ts';
import { readBusinessHours } from './business-time.ts';
import { keepMetrics } from './keep-metrics.ts';

/**
 * Figures follow the facts. A request for a report catches up first, so it is never behind. In between, due work
 * catches up in the background, while somebody has asked for a report within the last month.
 */

const factsMax = 500;
const ticketsMax = 500;
/** Whoever reads fewer rows than this has caught up. */
export const readsMax = Math.min(factsMax, ticketsMax);
const restSeconds = 20;
const askedDays = 30;
/** Above every id. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const settledMs = 60_000;

/** Begins to keep figures where nobody has asked for a report yet. */
export async function noteReader(db: Db, workspaceId: WorkspaceId, now: Date): Promise<void> {
  const known = await db.maybe<{ isRecent: boolean }>(sql`
    select asked_at > ${now}::timestamptz - interval '1 day' as "isRecent"
    from report_readers where workspace_id = ${workspaceId}`);
  if (known?.isRecent === true) return;
  await db.tx(async (tx) => {
    const { transactionId, id } = await factsFromNow(tx);
    await tx.run(sql`
      insert into report_readers
        (workspace_id, id, read_transaction_id, read_id, past_id, filled_to, asked_at, read_at)
      values (${workspaceId}, ${workspaceId}, ${transactionId}::xid8, ${id}, ${nilId}, ${lastId}, ${tx.now}, ${tx.now})
      on conflict (workspace_id, id) do update set asked_at = ${tx.now}`);
  });
}

/** Makes the figures of all tickets anew, because an import brought some that no fact tells of. */
export async function refill(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await tx.run(sql`update report_readers set filled_to = ${lastId} where workspace_id = ${workspaceId}`);
}

/** Lists workspaces whose figures are behind. */
export async function listStaleReports(db: Queryable, { now, within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  const moment = await readMoment(db);
  return db.rows<DueRow>(sql`
    select r.workspace_id as "workspaceId", r.id
    from report_readers r
    where r.asked_at > ${now}::timestamptz - make_interval(days => ${askedDays})
      ${within(sql`r.workspace_id`)} ${except(sql`r.id`)}
      and (r.filled_to is not null
        or r.read_at < ${now}::timestamptz - make_interval(secs => ${restSeconds}) and ${hasNews(moment)})
    order by r.workspace_id
    limit ${rowsMax}`);
}

/** Whether there is anything to catch up with. Where there is nothing, a report writes nothing. */
export async function isBehind(db: Queryable, workspaceId: WorkspaceId, now: Date): Promise<boolean> {
  const [moment, { mark }] = await Promise.all([readMoment(db), readBusinessHours(db, workspaceId)]);
  const reader = await db.maybe<{ isBehind: boolean }>(sql`
    select r.filled_to is not null or r.counted_by is distinct from ${mark}
      or ${hasNews(moment, sql`${workspaceId}`)}
      or exists (
        select from activity a
        where a.workspace_id = ${workspaceId} and a.transaction_id = ${pastTransaction}::xid8
          and a.id > r.past_id and a.id < ${settledId(now)}) as "isBehind"
    from report_readers r
    where r.workspace_id = ${workspaceId}`);
  return reader?.isBehind !== false;
}

/**
 * Catches up with the facts, and reads older tickets: all of them anew once other hours count.
 * @returns how many rows it has read. It is done when there are none
 */
export function catchUp(db: Db, workspaceId: WorkspaceId): Promise<number> {
  return db.tx(async (tx) => {
    // This locks the row, so that no other process still counts by older hours.
    await tx.run(sql`update report_readers set read_at = ${tx.now} where workspace_id = ${workspaceId}`);
    const { mark, businessTime } = await readBusinessHours(tx, workspaceId);
    await tx.run(sql`
      update report_readers set counted_by = ${mark}, filled_to = ${lastId}
      where workspace_id = ${workspaceId} and counted_by is distinct from ${mark}`);
    const keep = (ids: readonly TicketId[]) => keepMetrics(tx, workspaceId, ids, businessTime);
    let read = 0;
    await readOn(tx, { table: 'report_readers', workspaceId, id: workspaceId, factsMax }, async (facts) => {
      read += facts.length;
      await keep(ticketsIn(facts));
    });
    read += await readImported(tx, workspaceId, keep);
    read += await readOlder(tx, workspaceId, keep);
    return read;
  });
}

type Keep = (ticketIds: readonly TicketId[]) => Promise<void>;

function ticketsIn(facts: readonly ReadFact[]): TicketId[] {
  // The ids of facts' tickets come from the database.
  return [...new Set(facts.flatMap(({ ticket }) => (ticket === null ? [] : [ticket.id as TicketId])))];
}

const settledId = (now: Date) => idAt(new Date(now.getTime() - settledMs));

/**
 * No reader is told of the facts of old mail, so they are looked up by their ids. The transaction that gave an id has
 * ended a minute later.
 */
async function readImported(tx: Tx, workspaceId: WorkspaceId, keep: Keep): Promise<number> {
  const facts = await tx.rows<{ ticketId: TicketId | null; id: string }>(sql`
    select a.ticket_id as "ticketId", a.id
    from report_readers r
    join activity a on a.workspace_id = ${workspaceId} and a.transaction_id = ${pastTransaction}::xid8
      and a.id > r.past_id and a.id < ${settledId(tx.now)}
    where r.workspace_id = ${workspaceId}
    order by a.id
    limit ${factsMax}`);
  const last = facts.at(-1);
  if (last === undefined) return 0;
  await keep([...new Set(facts.flatMap(({ ticketId }) => ticketId ?? []))]);
  await tx.run(sql`update report_readers set past_id = ${last.id} where workspace_id = ${workspaceId}`);
  return facts.length;
}

/** Reads the next of the tickets that were there before their workspace read reports. */
async function readOlder(tx: Tx, workspaceId: WorkspaceId, keep: Keep): Promise<number> {
  const tickets = await tx.rows<{ id: TicketId }>(sql`
    select t.id
    from report_readers r
    join tickets t on t.workspace_id = ${workspaceId} and t.id < r.filled_to
    where r.workspace_id = ${workspaceId} and ${visible(machineScope(workspaceId), 't')}
    order by t.id desc
    limit ${ticketsMax}`);
  await keep(tickets.map(({ id }) => id));
  const filledTo = tickets.length < ticketsMax ? null : tickets.at(-1)?.id;
  await tx.run(sql`
    update report_readers set filled_to = ${filledTo} where workspace_id = ${workspaceId} and filled_to is not null`);
  return tickets.length;
}

/** Whether all older tickets are read. */
export async function isFilled(db: Queryable, workspaceId: WorkspaceId): Promise<boolean> {
  const reader = await db.maybe<{ isFilled: boolean }>(sql`
    select filled_to is null as "isFilled" from report_readers where workspace_id = ${workspaceId}`);
  return reader?.isFilled === true;
}
