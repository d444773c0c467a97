import { requesterOf } from '../../access/workspaces/requester.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { because } from '../../ground/catalog/doer.ts';
import { machineScope } from '../../ground/catalog/scope.ts';
import { type Db, type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { TicketId, UserId } from '../../ground/lib/ids.ts';
import { inTurns } from '../../ground/lib/in-turns.ts';
import { caseKey } from '../../ground/lib/text.ts';
import type { DueRow, DueScope } from '../../ground/queue/due-work.ts';
import { lockTickets, lockTree } from '../../helpdesk/tickets/change.ts';
import { changeLocked } from '../../helpdesk/tickets/change-ticket.ts';
import type { Locked } from '../../helpdesk/tickets/move-ticket.ts';
import type { Ticket } from '../../helpdesk/tickets/schema.ts';
import { moves } from '../../helpdesk/tickets/ticket-change.ts';
import type { WrittenListQuery } from '../lists/schema.ts';
import { type BulkChangeKey, endBulkChange } from './keep-bulk-change.ts';
import type { BulkChange, QueryChange } from './schema.ts';
import { type Made, madeBetween, readStates } from './ticket-state.ts';
import { undoOne } from './undo-ticket.ts';

/** More would take the connections of requests. */
const atOnceMax = 3;
/** Few enough that a person who changes one of these tickets hardly waits. */
const batchMax = 20;
/** Then other changes get the place, and the process may stop. */
const sliceMs = 3_000;

type Work = {
  state: 'running' | 'undoing';
  query: WrittenListQuery;
  change: QueryChange;
  by: UserId;
  byKey: string | null;
};

/** Changes that are not finished, or not undone yet. */
export function listUnfinishedChanges(db: Queryable, { within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  return db.rows<DueRow>(sql`
    select c.workspace_id as "workspaceId", c.id
    from bulk_changes c
    where c.state in ('running', 'undoing') ${within(sql`c.workspace_id`)} ${except(sql`c.id`)}
    order by c.id
    limit ${rowsMax}`);
}

/**
 * Works for a while on a change or its undo. A transaction changes some tickets and also notes that they are done.
 * After an interruption, the next attempt goes on from there, and no ticket changes twice.
 */
export async function workOnBulkChange(db: Db, key: BulkChangeKey): Promise<void> {
  const endsAt = performance.now() + sliceMs;
  const failed: TicketId[] = [];
  let fault: unknown;
  while (performance.now() < endsAt) {
    const work = await findWork(db, key);
    if (work === undefined) return;
    const requester = { workspaceId: key.workspaceId, userId: work.by, keyId: work.byKey };
    const actor = await requesterOf(db, requester, 'ticket.write');
    if (actor === undefined) return db.tx((tx) => endIfIn(tx, key, work.state, 'stopped'));
    const cause = { kind: work.state === 'running' ? 'bulk_change' : 'bulk_undo', id: key.id } as const;
    const ticketIds = await listWaiting(db, key, work, failed);
    if (ticketIds.length === 0) break;
    const done = await workOnSome(db, { key, work, actor: because(actor, cause) }, ticketIds);
    failed.push(...done.flatMap(({ failedId }) => failedId ?? []));
    fault ??= done.find(({ failedId }) => failedId !== undefined)?.fault;
    // Other processes hold these tickets.
    if (done.every(({ count, failedId }) => count === 0 && failedId === undefined)) return;
  }
  // The other tickets have had their turn. The due work reports the fault, and tries these tickets again.
  if (fault !== undefined) throw fault;
  if (performance.now() < endsAt) await finish(db, key);
}

function findWork(db: Queryable, { workspaceId, id }: BulkChangeKey): Promise<Work | undefined> {
  return db.maybe<Work>(sql`
    select state, query, change, case when state = 'undoing' then undone_by else created_by end as by,
      case when state = 'undoing' then undone_by_key else created_by_key end as "byKey"
    from bulk_changes
    where workspace_id = ${workspaceId} and id = ${id} and state in ('running', 'undoing')`);
}

const waitingState = { running: 'waiting', undoing: 'changed' } as const;

async function listWaiting(
  db: Queryable,
  { workspaceId, id }: BulkChangeKey,
  { state }: Work,
  failed: readonly TicketId[],
): Promise<TicketId[]> {
  const rows = await db.rows<{ id: TicketId }>(sql`
    select ticket_id as id from bulk_change_tickets
    where workspace_id = ${workspaceId} and bulk_change_id = ${id} and state = ${waitingState[state]}
      and ticket_id <> all(${failed}::uuid[])
    order by ticket_id
    limit ${atOnceMax * batchMax}`);
  return rows.map((row) => row.id);
}

type Context = { key: BulkChangeKey; work: Work; actor: Actor };
/** How many tickets are done, and which one failed by a fault that is not its own. */
type Done = { count: number; failedId?: TicketId; fault?: unknown };

async function workOnSome(db: Db, context: Context, ticketIds: readonly TicketId[]): Promise<Done[]> {
  const inTurn = inTurns(atOnceMax);
  // A move takes along the tickets that were merged into a ticket.
  const size = moves(context.work.change) ? 1 : batchMax;
  const batches = Array.from({ length: Math.ceil(ticketIds.length / size) }, (_, at) =>
    ticketIds.slice(at * size, (at + 1) * size),
  );
  const done = await Promise.all(batches.map((batch) => inTurn(() => workOnBatch(db, context, batch))));
  return done.flat();
}

/** A ticket that refuses undoes its whole batch. Each ticket of the batch is then tried alone. */
async function workOnBatch(db: Db, context: Context, ids: readonly TicketId[]): Promise<Done[]> {
  try {
    return [{ count: await db.tx((tx) => workOnTickets(tx, context, ids)) }];
  } catch (fault) {
    const [only, ...others] = ids;
    if (only === undefined) throw fault;
    if (others.length > 0) {
      const each: Done[][] = [];
      for (const id of ids) each.push(await workOnBatch(db, context, [id]));
      return each.flat();
    }
    if (!(fault instanceof AppError) || fault.status >= 500) return [{ count: 0, failedId: only, fault }];
    return [{ count: await db.tx((tx) => noteRefusal(tx, context, { ticketId: only, fault })) }];
  }
}

/**
 * @returns how many tickets are done: without tickets that another process has, and none once the change was stopped
 */
async function workOnTickets(tx: Tx, context: Context, wanted: readonly TicketId[]): Promise<number> {
  const { key, work, actor } = context;
  const lines = await claim(tx, context, wanted);
  if (lines.length === 0) return 0;
  const ids = lines.map(({ ticketId }) => ticketId);
  const locked = await lockAll(tx, actor, ids, work.change);
  const before = await readStates(
    tx,
    actor,
    locked.map((each) => each.before),
  );
  if (work.state === 'undoing') {
    const madeOf = new Map(lines.map(({ ticketId, made }) => [ticketId, made]));
    const undone = await together(
      locked.map(async (ticket) => {
        const { id: ticketId } = ticket.before;
        const [now, made] = [before.get(ticketId), madeOf.get(ticketId)];
        const isWhole = now != null && made != null && (await undoOne(tx, actor, ticket, { made, now }));
        return { ticketId, state: isWhole ? ('undone' as const) : ('kept' as const) };
      }),
    );
    await noteTickets(tx, key, undone);
    return lines.length;
  }
  const chosen = locked.filter((ticket) => !hasLostTag(work, ticket.before));
  const changed = await together(chosen.map((ticket) => changeLocked(tx, actor, ticket, work.change)));
  // The change may have moved tickets out of the actor's sight.
  const after = await readStates(tx, machineScope(actor.workspaceId), changed);
  const notes = ids.map((ticketId): Note => {
    const [from, to] = [before.get(ticketId), after.get(ticketId)];
    const made = from && to && madeBetween(from, to);
    return { ticketId, state: made === undefined ? 'unchanged' : 'changed', made };
  });
  await noteTickets(tx, key, notes);
  return lines.length;
}

/** Locks tickets in the order of their ids, even in the trash. Throws 404 if one of them is deleted. */
async function lockAll(tx: Tx, actor: Actor, ids: readonly TicketId[], change: QueryChange): Promise<Locked[]> {
  const trees = new Map<TicketId, TicketId[]>();
  if (moves(change)) for (const id of ids) trees.set(id, await lockTree(tx, actor, id));
  const tickets = await lockTickets(tx, actor, ids, { evenTrash: true });
  if (tickets.size < ids.length) throw new AppError('ticket.not_found');
  return [...tickets.values()].map((before) => ({ before, tree: trees.get(before.id) ?? [] }));
}

type Line = { ticketId: TicketId; made: Made | null };

/** Locks the lines of tickets that still wait, and keeps the state of the change as it is until the commit. */
async function claim(
  tx: Tx,
  { key: { workspaceId, id }, work: { state } }: Pick<Context, 'key' | 'work'>,
  ticketIds: readonly TicketId[],
): Promise<Line[]> {
  const [change, lines] = await together([
    tx.maybe(sql`
      select from bulk_changes
      where workspace_id = ${workspaceId} and id = ${id} and state = ${state}
      for share`),
    tx.rows<Line>(sql`
      select ticket_id as "ticketId", made from bulk_change_tickets
      where workspace_id = ${workspaceId} and bulk_change_id = ${id} and ticket_id = any(${ticketIds}::uuid[])
        and state = ${waitingState[state]}
      order by ticket_id
      for update skip locked`),
  ]);
  return change === undefined ? [] : lines;
}

/**
 * Whether somebody took away the tag by which the query chose the ticket, and which the change would replace. A rename
 * must not give such a ticket the new name.
 */
function hasLostTag({ query, change }: Work, ticket: Ticket): boolean {
  const removed = new Set(change.removeTags?.map(caseKey));
  const replaced = (query.tags ?? []).map(caseKey).filter((tag) => removed.has(tag));
  const tags = new Set(ticket.tags.map(caseKey));
  return replaced.length > 0 && !replaced.some((tag) => tags.has(tag));
}

type Note = {
  ticketId: TicketId;
  state: 'changed' | 'unchanged' | 'refused' | 'undone' | 'kept';
  made?: Made | undefined;
  error?: AppError['body'];
};

async function noteTickets(tx: Tx, { workspaceId, id }: BulkChangeKey, notes: readonly Note[]): Promise<void> {
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  await tx.run(sql`
    update bulk_change_tickets b
    set state = n.state, made = n.made::jsonb, error = n.error::jsonb
    from unnest(${notes.map(({ ticketId }) => ticketId)}::uuid[], ${notes.map(({ state }) => state)}::text[],
      ${notes.map(({ made }) => json(made))}::text[], ${notes.map(({ error }) => json(error))}::text[])
      as n (ticket_id, state, made, error)
    where b.workspace_id = ${workspaceId} and b.bulk_change_id = ${id} and b.ticket_id = n.ticket_id`);
}

async function noteRefusal(
  tx: Tx,
  context: Context,
  { ticketId, fault }: { ticketId: TicketId; fault: AppError },
): Promise<number> {
  const lines = await claim(tx, context, [ticketId]);
  const state = context.work.state === 'running' ? 'refused' : 'kept';
  if (lines.length > 0) await noteTickets(tx, context.key, [{ ticketId, state, error: fault.body }]);
  return lines.length;
}

/** Ends a change none of whose tickets waits any more. */
async function finish(db: Db, key: BulkChangeKey): Promise<void> {
  await db.tx(async (tx) => {
    const work = await findWork(tx, key);
    if (work !== undefined) await endIfIn(tx, key, work.state, work.state === 'running' ? 'done' : 'undone');
  });
}

async function endIfIn(
  tx: Tx,
  { workspaceId, id }: BulkChangeKey,
  state: Work['state'],
  ended: Extract<BulkChange['state'], 'done' | 'stopped' | 'undone'>,
): Promise<void> {
  const locked = await tx.maybe(sql`
    select from bulk_changes
    where workspace_id = ${workspaceId} and id = ${id} and state = ${state}
    for update`);
  if (locked === undefined) return;
  const waiting = await tx.maybe(sql`
    select from bulk_change_tickets
    where workspace_id = ${workspaceId} and bulk_change_id = ${id} and state = ${waitingState[state]}
    limit 1`);
  if (waiting === undefined || ended === 'stopped') await endBulkChange(tx, { workspaceId, id }, ended);
}
