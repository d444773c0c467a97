import { formerWord, mayHaveFormerWords } from '../contacts/former-words.ts';
import { type Db, type Tx, together } from '../database/db.ts';
import { type Sql, sql } from '../database/sql.ts';
import type { TicketId, WorkspaceId } from '../lib/ids.ts';
import { messageSearchVector } from '../messages/insert-message.ts';
import { refreshTicketSearch } from '../tickets/rows.ts';

type Row<Id = string> = { workspaceId: WorkspaceId; id: Id };

/** Limits a search, because each search goes through all remaining rows. */
const foundMax = 5_000;
/** Few enough that reading their texts blocks no request, and that their locks block no writer for long. */
const atOnceMax = 50;

/**
 * Rebuilds search vectors that carry the marker word of an earlier release.
 * An earlier release wrote them while it still ran beside this release, or a new version must index them again.
 */
export async function rewordTickets(db: Db): Promise<void> {
  if (!(await mayHaveFormerWords(db))) return;
  await rewordAll(db, findMessages, rewordMessages);
  await rewordAll(db, findTickets, refreshTickets);
}

async function rewordAll<Found>(db: Db, found: Sql, reword: (tx: Tx, rows: readonly Found[]) => Promise<unknown>) {
  for (;;) {
    const rows = await db.rows<Found>(found);
    for (let at = 0; at < rows.length; at += atOnceMax) await db.tx((tx) => reword(tx, rows.slice(at, at + atOnceMax)));
    if (rows.length < foundMax) return;
  }
}

const findMessages = sql`
  select m.workspace_id as "workspaceId", m.id
  from workspaces w
  join messages m on m.workspace_id = w.id and m.search @@ ${formerWord(sql`w.id`)}
  limit ${foundMax}`;

const findTickets = sql`
  select t.workspace_id as "workspaceId", t.id
  from workspaces w
  join tickets t on t.workspace_id = w.id and t.search @@ ${formerWord(sql`w.id`)}
  limit ${foundMax}`;

async function rewordMessages(tx: Tx, rows: readonly Row[]): Promise<void> {
  for (const [workspaceId, found] of Map.groupBy(rows, (row) => row.workspaceId)) {
    const messages = await tx.rows<{ id: string; subject: string | null; body: string }>(sql`
      select m.id, m.subject, m.body
      from messages m
      where m.workspace_id = ${workspaceId} and m.id = any(${found.map(({ id }) => id)}::uuid[])
      for no key update of m`);
    await tx.run(sql`
      update messages m set search = g.search::tsvector
      from unnest(${messages.map(({ id }) => id)}::uuid[],
        ${messages.map(({ subject, body }) => messageSearchVector(workspaceId, body, subject))}::text[]) g (id, search)
      where m.workspace_id = ${workspaceId} and m.id = g.id`);
  }
}

/** Locks before reading, and in one order, so that no concurrent write is missed. */
async function refreshTickets(tx: Tx, rows: readonly Row<TicketId>[]): Promise<void> {
  for (const [workspaceId, found] of Map.groupBy(rows, (row) => row.workspaceId)) {
    await tx.run(sql`
      select from tickets t
      where t.workspace_id = ${workspaceId} and t.id = any(${found.map(({ id }) => id)}::uuid[])
      order by t.id
      for no key update`);
    await together(found.map(({ id }) => refreshTicketSearch(tx, workspaceId, id)));
  }
}
