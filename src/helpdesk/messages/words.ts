import { type Tx, together } from '../../ground/database/db.ts';
import { type Sql, sql } from '../../ground/database/sql.ts';
import type { MessageId, WorkspaceId } from '../../ground/lib/ids.ts';
import { searchVector } from '../../ground/lib/search-vector.ts';

/** The words by which a search finds messages. `gather-words.ts` brings them into the index. */

export type Words = { messageId: MessageId; subject: string | null; body: string };

/**
 * The words of all messages of a workspace, to select from: `message_id`, `created_at` and `search`. Most are in the
 * index; the newest and those that the previous release wrote are not yet.
 */
export function messageWords(workspaceId: WorkspaceId): Sql {
  return sql`(
    select i.message_id, i.created_at, i.search from message_words i where i.workspace_id = ${workspaceId}
    union all
    select u.message_id, u.created_at, u.search from unindexed_words u where u.workspace_id = ${workspaceId}
    union all
    select o.id, o.created_at, o.search from messages o
    where o.workspace_id = ${workspaceId} and o.search is not null
  )`;
}

/**
 * The newest of them, newest first. Each table has an index in this order, and a limit of its own: without it,
 * PostgreSQL reads all rows.
 */
export function newestWords(workspaceId: WorkspaceId, at: string, max: number): Sql {
  return sql`
    select n.message_id, n.created_at, n.search
    from (
      (select i.message_id, i.created_at, i.search from message_words i
        where i.workspace_id = ${workspaceId} and i.created_at <= ${at}::timestamptz
        order by i.created_at desc limit ${max})
      union all
      (select u.message_id, u.created_at, u.search from unindexed_words u
        where u.workspace_id = ${workspaceId} and u.created_at <= ${at}::timestamptz
        order by u.created_at desc limit ${max})
      union all
      (select o.id, o.created_at, o.search from messages o
        where o.workspace_id = ${workspaceId} and o.search is not null and o.created_at <= ${at}::timestamptz
        order by o.created_at desc limit ${max})
    ) n
    order by n.created_at desc
    limit ${max}`;
}

/** The words of one message, to join laterally. */
export function wordsOfMessage(workspaceId: WorkspaceId, messageId: Sql): Sql {
  return sql`(
    select i.search from message_words i where i.workspace_id = ${workspaceId} and i.message_id = ${messageId}
    union all
    select u.search from unindexed_words u where u.workspace_id = ${workspaceId} and u.message_id = ${messageId}
    union all
    select o.search from messages o
    where o.workspace_id = ${workspaceId} and o.id = ${messageId} and o.search is not null
  )`;
}

/**
 * The ticket of one message, to join laterally. `offset 0` keeps PostgreSQL from beginning with the messages: where it
 * takes them for few, it would match the words anew for each of them, for over ten seconds.
 */
export function ticketOfMessage(workspaceId: WorkspaceId, messageId: Sql): Sql {
  return sql`(
    select o.ticket_id from messages o where o.workspace_id = ${workspaceId} and o.id = ${messageId} offset 0
  )`;
}

/** Writes the words of a new message. */
export async function writeWords(
  tx: Tx,
  workspaceId: WorkspaceId,
  { messageId, subject, body, createdAt }: Words & { createdAt: Date },
): Promise<void> {
  await tx.run(sql`
    insert into unindexed_words (workspace_id, message_id, created_at, search)
    values (${workspaceId}, ${messageId}::uuid, ${createdAt}::timestamptz,
      ${messageSearchVector(workspaceId, body, subject)}::tsvector)`);
}

/**
 * Writes the words of messages whose texts changed. No former word stays: a batch that moves words at this moment
 * commits before the second statement looks.
 */
export async function rewriteWords(tx: Tx, workspaceId: WorkspaceId, words: readonly Words[]): Promise<void> {
  if (words.length === 0) return;
  const ids = words.map(({ messageId }) => messageId);
  const vectors = words.map(({ subject, body }) => messageSearchVector(workspaceId, body, subject));
  await together([
    tx.run(sql`
      insert into unindexed_words (workspace_id, message_id, created_at, search)
      select m.workspace_id, m.id, m.created_at, w.search::tsvector
      from unnest(${ids}::uuid[], ${vectors}::text[]) w (id, search)
      join messages m on m.workspace_id = ${workspaceId} and m.id = w.id
      order by m.id
      on conflict (workspace_id, message_id) do update set search = excluded.search`),
    tx.run(sql`delete from message_words where workspace_id = ${workspaceId} and message_id = any(${ids}::uuid[])`),
  ]);
}

/** Gives the words of a message its new time. */
export async function rewriteTimeOfWords(
  tx: Tx,
  workspaceId: WorkspaceId,
  { messageId, createdAt }: { messageId: MessageId; createdAt: Date },
): Promise<void> {
  await together([
    tx.run(sql`
      update unindexed_words set created_at = ${createdAt}
      where workspace_id = ${workspaceId} and message_id = ${messageId}`),
    tx.run(sql`
      update message_words set created_at = ${createdAt}
      where workspace_id = ${workspaceId} and message_id = ${messageId}`),
  ]);
}

/** The text by which search finds a message. */
export function messageSearchVector(workspaceId: WorkspaceId, body: string, subject: string | null = null): string {
  const texts = subject === null ? [body] : [subject, body];
  return searchVector(
    workspaceId,
    texts.map((text) => ({ weight: 'D', text })),
  );
}
