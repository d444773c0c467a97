import { type Db, type Queryable, type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { idAt, type MessageId, type WorkspaceId } from '../../ground/lib/ids.ts';
import type { DueRow, DueScope } from '../../ground/queue/due-work.ts';

/** A larger batch costs the index less for each message, and leaves more words for each search to read through. */
const batchSize = 1_000;
/** Words wait no longer for a full batch. */
const waitMsMax = 60_000;

/**
 * Lists the workspaces with a full batch of words, with words that have waited long, or with words of the previous
 * release. Ids begin with their time, so the first one tells how long the words wait.
 */
export function listUnindexed(db: Queryable, { now, within, except, rowsMax }: DueScope): Promise<DueRow[]> {
  const waited = idAt(new Date(now.getTime() - waitMsMax));
  return db.rows<DueRow>(sql`
    select c.workspace_id as "workspaceId", c.workspace_id as id
    from ticket_counters c
    where (
        exists (select from unindexed_words u where u.workspace_id = c.workspace_id and u.message_id < ${waited}::uuid)
        or exists (
          select from unindexed_words u where u.workspace_id = c.workspace_id order by u.message_id
          offset ${batchSize - 1} limit 1)
        or exists (select from messages m where m.workspace_id = c.workspace_id and m.search is not null)
      ) ${within(sql`c.workspace_id`)} ${except(sql`c.workspace_id`)}
    limit ${rowsMax}`);
}

/** Brings a batch of a workspace's words into the index. The workspace is due again while more wait. */
export async function indexWords(db: Db, { workspaceId }: Pick<DueRow, 'workspaceId'>): Promise<void> {
  await db.tx((tx) => takeFormerWords(tx, workspaceId));
  await db.tx((tx) => indexBatch(tx, workspaceId));
}

/** Takes words out of the rows of messages, where the previous release writes them. They may replace others. */
async function takeFormerWords(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  const found = await tx.rows<{ id: MessageId }>(sql`
    select id from messages
    where workspace_id = ${workspaceId} and search is not null
    order by created_at desc
    limit ${batchSize}
    for no key update skip locked`);
  if (found.length === 0) return;
  const ids = found.map(({ id }) => id);
  await together([
    tx.run(sql`
      insert into unindexed_words (workspace_id, message_id, created_at, search)
      select m.workspace_id, m.id, m.created_at, m.search from messages m
      where m.workspace_id = ${workspaceId} and m.id = any(${ids}::uuid[])
      order by m.id
      on conflict (workspace_id, message_id) do update set search = excluded.search`),
    tx.run(sql`delete from message_words where workspace_id = ${workspaceId} and message_id = any(${ids}::uuid[])`),
    tx.run(sql`update messages set search = null where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])`),
  ]);
}

/**
 * A batch is one commit, so a crash loses and repeats nothing. Its words pass through the pending list of the index,
 * which gathers the messages of each word. Searches that run meanwhile read the list, so no batch leaves it behind.
 *
 * A deletion takes the words after their message. So a batch leaves out messages that are being deleted: their foreign
 * key would wait for the deletion, which waits for the batch.
 */
async function indexBatch(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  const found = await tx.rows<{ id: MessageId }>(sql`
    select message_id as id from unindexed_words
    where workspace_id = ${workspaceId}
    order by message_id
    limit ${batchSize}
    for update skip locked`);
  const held = await tx.rows<{ id: MessageId }>(sql`
    select id from messages
    where workspace_id = ${workspaceId} and id = any(${found.map(({ id }) => id)}::uuid[])
    for key share skip locked`);
  if (held.length === 0) return;
  const ids = held.map(({ id }) => id);
  await together([
    tx.run(sql`
      insert into message_words (workspace_id, message_id, created_at, search)
      select u.workspace_id, u.message_id, u.created_at, u.search from unindexed_words u
      where u.workspace_id = ${workspaceId} and u.message_id = any(${ids}::uuid[])
      on conflict (workspace_id, message_id) do update set search = excluded.search`),
    tx.run(sql`delete from unindexed_words where workspace_id = ${workspaceId} and message_id = any(${ids}::uuid[])`),
    tx.run(sql`select gin_clean_pending_list('message_words_search')`),
  ]);
}
