import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { findLockWaits } from '../../../test/harness/lock-waits.ts';
import { placesOf } from '../../../test/harness/places-of.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { type MessageId, newId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { drainDueWork } from '../../ground/queue/due-work.ts';
import { dueKinds } from '../../worker.ts';
import { indexWords } from './gather-words.ts';
import { messageSearchVector } from './words.ts';

const house = useHouse();
let owner: Person;
let workspaceId: WorkspaceId;
/** A word that no other test has. */
let word: string;
let count = 0;

beforeEach(async () => {
  owner = await makeOwner(house);
  ({ workspaceId } = owner);
  word = `heliotrope${++count}`;
});

/** Does what is due in so many seconds. @returns how often a batch was due */
async function drainWords(seconds = 0): Promise<number> {
  // Ids begin with the time of the wall clock.
  const clock = { now: () => new Date(Date.now() + seconds * 1_000) };
  const kind = dueKinds(house.app).find(({ name }) => name === 'words.index');
  if (kind === undefined) throw new Error('no such kind');
  return drainDueWork({ ...house.app, clock }, kind);
}

const make = async (body: string): Promise<{ id: string; messageId: MessageId }> => {
  const { id } = (await owner.call('POST', '/tickets', { subject: 'Help', body })).body;
  const { messages } = (await owner.call('GET', `/tickets/${id}`)).body;
  return { id, messageId: messages[0].id };
};
const found = async (search: string): Promise<number> =>
  (await owner.call('GET', `/tickets?search=${encodeURIComponent(search)}`)).body.length;

async function placesOfWords(): Promise<{ indexed: number; unindexed: number; former: number }> {
  return house.app.db.one(sql`
    select (select count(*) from message_words where workspace_id = ${workspaceId}) as indexed,
      (select count(*) from unindexed_words where workspace_id = ${workspaceId}) as unindexed,
      (select count(*) from messages where workspace_id = ${workspaceId} and search is not null) as former`);
}

/** Keeps all batches from writing. @returns what lets them go on */
async function holdIndex(): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: house.databaseUrl });
  await client.connect();
  await client.query('begin; lock table message_words in share mode');
  return () => client.end();
}

const waitFor = (statement: string) =>
  expect.poll(() => findLockWaits(house.databaseUrl)).toContainEqual(expect.stringContaining(statement));

/** Writes messages as an import would, thousands at a time. */
async function writeMany(of: WorkspaceId, ticketId: string, count: number): Promise<void> {
  await house.app.db.tx((tx) =>
    tx.run(sql`
      with written as (
        insert into messages (workspace_id, id, ticket_id, direction, author_type, body, created_at)
        select ${of}::uuid, id, ${ticketId}::uuid, 'inbound', 'customer', 'many', now()
        from unnest(${Array.from({ length: count }, () => newId())}::uuid[]) id
        returning id, created_at
      )
      insert into unindexed_words (workspace_id, message_id, created_at, search)
      select ${of}::uuid, id, created_at, ${messageSearchVector(of, 'many')}::tsvector from written`),
  );
}

describe('the words of a message', () => {
  test('are found at once, and are in the index a minute later', async () => {
    await make(word);
    expect(await found(word)).toBe(1);
    expect(await drainWords()).toBe(0);
    expect(await placesOfWords()).toEqual({ indexed: 0, unindexed: 1, former: 0 });
    expect(await drainWords(61)).toBe(1);
    expect(await placesOfWords()).toEqual({ indexed: 1, unindexed: 0, former: 0 });
    expect(await found(word)).toBe(1);
    expect(await found(`-${word}`)).toBe(0);
    expect(await drainWords()).toBe(0);
  });

  test('do not wait in the pending list of the index, which every search would read', async () => {
    await make(word);
    await drainWords(61);
    const { rows } = await house.app.db.pool.query(`select gin_clean_pending_list('message_words_search') as pages`);
    expect(rows).toEqual([{ pages: 0 }]);
  });

  test('are due when a batch is full, and many of one workspace leave room for those of another', async () => {
    const { id } = await make('first');
    await writeMany(workspaceId, id, 2_500);
    const crowded = workspaceId;
    owner = await makeOwner(house, 'Other');
    ({ workspaceId } = owner);
    await make('second');
    // One batch of each: a workspace is listed once, however many of its words wait.
    expect(await drainWords(61)).toBe(2);
    expect(await placesOfWords()).toEqual({ indexed: 1, unindexed: 0, former: 0 });
    workspaceId = crowded;
    expect(await placesOfWords()).toEqual({ indexed: 1_000, unindexed: 1_501, former: 0 });
    expect(await drainWords()).toBe(1);
    expect(await drainWords()).toBe(0);
    expect(await placesOfWords()).toEqual({ indexed: 2_000, unindexed: 501, former: 0 });
    expect(await drainWords(61)).toBe(1);
    expect(await placesOfWords()).toEqual({ indexed: 2_501, unindexed: 0, former: 0 });
  });

  test('are neither lost nor repeated when a batch is cut short', async () => {
    await make(word);
    const release = await holdIndex();
    const cut = expect(indexWords(house.app.db, { workspaceId })).rejects.toThrow();
    await waitFor('into message_words');
    const { rowCount } = await house.app.db.pool.query(`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%into message_words%'`);
    expect(rowCount).toBe(1);
    await cut;
    await release();
    expect(await placesOfWords()).toEqual({ indexed: 0, unindexed: 1, former: 0 });
    expect(await found(word)).toBe(1);
    await Promise.all([indexWords(house.app.db, { workspaceId }), indexWords(house.app.db, { workspaceId })]);
    expect(await placesOfWords()).toEqual({ indexed: 1, unindexed: 0, former: 0 });
  });
});

describe('no word is left behind', () => {
  const redact = async (ticketId: string, messageId: MessageId) => {
    const { status } = await owner.call('POST', `/tickets/${ticketId}/messages/${messageId}/redact`, {});
    expect(status).toBe(200);
  };

  test.each([0, 61])('by a message that is redacted %i seconds after it came', async (seconds) => {
    const { id, messageId } = await make(word);
    await drainWords(seconds);
    await redact(id, messageId);
    expect(await placesOf(house, word)).toEqual([]);
    await drainWords(61);
    expect(await placesOf(house, word)).toEqual([]);
    expect(await found(word)).toBe(0);
    expect(await found('help')).toBe(1);
  });

  test('by a redaction while a batch takes the words', async () => {
    const { id, messageId } = await make(word);
    const release = await holdIndex();
    const indexing = indexWords(house.app.db, { workspaceId });
    await waitFor('into message_words');
    const redacting = redact(id, messageId);
    await waitFor('into unindexed_words');
    await release();
    await Promise.all([indexing, redacting]);
    expect(await placesOf(house, word)).toEqual([]);
    await drainWords(61);
    expect(await placesOf(house, word)).toEqual([]);
  });

  test.each([0, 61])('by a ticket that is deleted for good %i seconds after it came', async (seconds) => {
    const { id } = await make(word);
    await drainWords(seconds);
    await owner.call('DELETE', `/tickets/${id}`);
    expect((await owner.call('POST', `/tickets/${id}/purge`)).status).toBe(204);
    expect(await placesOf(house, word)).toEqual([]);
    expect(await placesOfWords()).toEqual({ indexed: 0, unindexed: 0, former: 0 });
  });

  test('by a ticket that is deleted for good while a batch takes the words', async () => {
    const { id } = await make(word);
    await owner.call('DELETE', `/tickets/${id}`);
    const release = await holdIndex();
    const indexing = indexWords(house.app.db, { workspaceId });
    await waitFor('into message_words');
    const purging = owner.call('POST', `/tickets/${id}/purge`);
    await waitFor('delete from');
    await release();
    await indexing;
    expect((await purging).status).toBe(204);
    expect(await placesOf(house, word)).toEqual([]);
    expect(await placesOfWords()).toEqual({ indexed: 0, unindexed: 0, former: 0 });
  });

  test('by a message that moves to another ticket', async () => {
    const from = await make('first');
    await owner.call('POST', `/tickets/${from.id}/messages`, { body: word, isInternal: true });
    await drainWords(61);
    const { messages } = (await owner.call('GET', `/tickets/${from.id}`)).body;
    const split = await owner.call('POST', `/tickets/${from.id}/split`, {
      messageIds: [messages[1].id],
      newSubject: 'Apart',
    });
    expect(split.status).toBe(201);
    const { body } = await owner.call('GET', `/tickets?search=${word}`);
    expect(body.map(({ subject }: { subject: string }) => subject)).toEqual(['Apart']);
  });
});

describe('words that the previous release writes', () => {
  const writeFormer = (messageId: MessageId, body: string) =>
    house.app.db.tx((tx) =>
      tx.run(sql`
        update messages set body = ${body}, search = ${messageSearchVector(workspaceId, body)}::tsvector
        where workspace_id = ${workspaceId} and id = ${messageId}`),
    );

  test('are found at once, and move in batches', async () => {
    const { id, messageId } = await make('first');
    await writeMany(workspaceId, id, 1_500);
    await house.app.db.pool.query(
      `with gone as (delete from unindexed_words where workspace_id = $1 returning message_id, search)
       update messages m set search = g.search from gone g where m.workspace_id = $1 and m.id = g.message_id`,
      [workspaceId],
    );
    await writeFormer(messageId, word);
    expect(await placesOfWords()).toEqual({ indexed: 0, unindexed: 0, former: 1_501 });
    expect(await found(word)).toBe(1);
    expect(await found(`many -${word}`)).toBe(0);
    while ((await placesOfWords()).former > 0) expect(await drainWords()).toBe(1);
    await drainWords(61);
    expect(await placesOfWords()).toEqual({ indexed: 1_501, unindexed: 0, former: 0 });
    expect(await found(word)).toBe(1);
  });

  test.each([0, 61])('replace those that stand apart for %i seconds', async (seconds) => {
    const { messageId } = await make(word);
    await drainWords(seconds);
    await writeFormer(messageId, '');
    await drainWords();
    expect(await placesOf(house, word)).toEqual(['public.tickets']);
    expect(await found(word)).toBe(0);
    expect((await placesOfWords()).former).toBe(0);
  });
});
