import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { baselineEnd } from '../../src/ground/database/baseline.ts';
import { migrate } from '../../src/ground/database/migrate.ts';
import { newId, type WorkspaceId } from '../../src/ground/lib/ids.ts';
import { openLog } from '../../src/ground/platform/log.ts';
import { useHouse } from '../harness/harness.ts';
import { runService, temporaryFolder } from '../harness/service-process.ts';
import { makeMember } from '../worlds/factories.ts';

describe('while processes of the previous release still write', () => {
  const database = useHouse();
  const [workspace, mailbox, writers] = [newId<WorkspaceId>(), newId(), 3];
  const acknowledged: string[] = [];
  const refused: string[] = [];
  let longestMs = 0;

  /** The work of the baseline's release for a mail: a ticket, its message and its mailbox's turn in one commit. */
  async function write(client: pg.Client): Promise<void> {
    const [ticketId, startedAt] = [newId(), performance.now()];
    try {
      await client.query('begin');
      const { rows } = await client.query(
        `update ticket_counters set last_number = last_number + 1 where workspace_id = $1
         returning last_number as number`,
        [workspace],
      );
      await client.query(
        `insert into tickets (
           workspace_id, id, ticket_number, subject, status, priority, priority_rank, channel, mailbox_id,
           message_count, last_message_at, created_at, updated_at, version, search)
         values ($1, $2, $3, 'Upgrade', 'open', 'normal', 2, 'email', $4, 1, now(), now(), now(), 1, '')`,
        [workspace, ticketId, rows[0].number, mailbox],
      );
      await client.query(
        `insert into messages (workspace_id, id, ticket_id, direction, author_type, body, created_at, search)
         values ($1, $2, $3, 'inbound', 'customer', 'It goes on.', now(), '')`,
        [workspace, newId(), ticketId],
      );
      await client.query('update mailbox_syncs set synced_at = now() where workspace_id = $1', [workspace]);
      await client.query('update mailboxes set updated_at = now() where workspace_id = $1', [workspace]);
      await client.query('commit');
      acknowledged.push(ticketId);
    } catch (error) {
      await client.query('rollback');
      // The service repeats a transaction that collides with another.
      if (!(error as pg.DatabaseError).code?.startsWith('40')) refused.push((error as Error).message);
    }
    longestMs = Math.max(longestMs, performance.now() - startedAt);
  }

  beforeAll(async () => {
    const client = new pg.Client({ connectionString: database.databaseUrl });
    await client.connect();
    await client.query('drop schema public cascade; create schema public');
    await migrate(database.databaseUrl, openLog('silent'), baselineEnd);
    await client.query("insert into workspaces (id, name, created_at) values ($1, 'Support', now())", [workspace]);
    await client.query('insert into ticket_counters (workspace_id, last_number) values ($1, 0)', [workspace]);
    await client.query("insert into inbound_addresses (workspace_id, local_part, reply_key) values ($1, 'inbox', '')", [
      workspace,
    ]);
    await client.query(
      `insert into mailboxes (
         workspace_id, id, provider, address, address_key, status, status_changed_at, connected_at, created_at,
         updated_at)
       values ($1, $2, 'imap', 'a@example.org', 'a@example.org', 'active', now(), now(), now(), now())`,
      [workspace, mailbox],
    );
    await client.query('insert into mailbox_syncs (workspace_id, mailbox_id) values ($1, $2)', [workspace, mailbox]);
    await client.end();

    let isOver = false;
    const writing = Array.from({ length: writers }, async () => {
      const writer = new pg.Client({ connectionString: database.databaseUrl });
      await writer.connect();
      while (!isOver) await write(writer);
      await writer.end();
    });
    while (acknowledged.length < 20 && refused.length < 100) await sleep(5);
    await migrate(database.databaseUrl, openLog('silent'));
    const after = acknowledged.length;
    while (acknowledged.length < after + 20 && refused.length < 100) await sleep(5);
    isOver = true;
    await Promise.all(writing);
  });

  test('none of their writes is refused or waits for long, before, while and after the migrations run', () => {
    expect(refused).toEqual([]);
    expect(longestMs).toBeLessThan(10_000);
  });

  test('this release shows every write that was acknowledged, and none by halves', async () => {
    const agent = await makeMember(database, workspace, 'agent');
    const { rows } = await database.app.db.pool.query(
      `select t.id, count(m.id)::int as messages from tickets t left join messages m on m.ticket_id = t.id
       where t.workspace_id = $1 group by t.id`,
      [workspace],
    );
    expect(rows.map(({ id }) => id).sort()).toEqual(acknowledged.toSorted());
    expect(rows.filter(({ messages }) => messages !== 1)).toEqual([]);
    for (const id of [acknowledged[0], acknowledged.at(-1)]) {
      const { status, body } = await agent.call('GET', `/tickets/${id}`);
      expect({ status, subject: body.subject }).toEqual({ status: 200, subject: 'Upgrade' });
    }
  });
});

describe('a downgrade', () => {
  const database = useHouse();
  const place = temporaryFolder();
  afterAll(async () => (await place).remove());

  test.each(['serve', 'worker', 'migrate'])('is refused by `%s` with a sentence that says why', async (command) => {
    const { pool } = database.app.db;
    await pool.query("insert into migrations (name) values ('999_of_a_later_release.sql') on conflict do nothing");
    const before = await pool.query('select count(*) from tickets');
    const { exited, output } = runService(
      {
        DATA_DIR: (await place).path,
        DATABASE_URL: database.databaseUrl,
        AUTH_SECRET: 'a'.repeat(32),
        ENCRYPTION_KEY: 'e'.repeat(32),
      },
      ['src/main.ts', command],
    );
    expect((await exited).code).toBe(1);
    expect(output()).toMatch(/later release of Kontor: it has the migration 999_of_a_later_release\.sql, and this/);
    expect(output()).not.toContain('    at ');
    expect((await pool.query('select count(*) from tickets')).rows).toEqual(before.rows);
  });
});
