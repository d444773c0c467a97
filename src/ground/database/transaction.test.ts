import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { cloneDatabase } from '../../../test/harness/harness.ts';
import { systemClock } from '../lib/clock.ts';
import { type Db, type Tx, together } from './db.ts';
import { isDatabaseAway } from './faults.ts';
import { openDb } from './open-db.ts';
import { sql } from './sql.ts';

let db: Db;
let databaseUrl: string;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await cloneDatabase();
  drop = database.drop;
  databaseUrl = database.url;
  db = openDb({ url: databaseUrl, clock: systemClock, poolSize: 2, onIdleError: () => {} });
  await db.pool.query(
    'create table things (id integer primary key, seen_at timestamptz not null default clock_timestamp())',
  );
});
afterAll(async () => {
  await db.close();
  await drop();
});
beforeEach(() => db.pool.query('truncate things'));

const insert = (tx: Tx, id: number) => tx.run(sql`insert into things (id) values (${id})`);
const ids = async () => (await db.rows<{ id: number }>(sql`select id from things order by id`)).map(({ id }) => id);

test('statements awaited together return their results, and the transaction commits them', async () => {
  const answer = await db.tx(async (tx) => {
    await insert(tx, 1);
    return together([insert(tx, 2), tx.one<{ count: number }>(sql`select count(*) as count from things`)]);
  });
  expect(answer).toEqual([1, { count: 2 }]);
  expect(await ids()).toEqual([1, 2]);
});

test('of statements awaited together, the first failed one gives the error, and nothing is committed', async () => {
  const twice = db.tx(async (tx) => {
    await insert(tx, 1);
    const again = insert(tx, 1).catch(() => Promise.reject(new Error('there is one already')));
    return together([again, insert(tx, 2)]);
  });
  await expect(twice).rejects.toThrow('there is one already');
  expect(await ids()).toEqual([]);
});

test('a refused commit throws, even if all statements before it succeeded', async () => {
  await db.pool.query('alter table things add constraint late exclude (id with =) deferrable initially deferred');
  const refused = db.tx(async (tx) => {
    await tx.run(sql`insert into things (id) values (7)`);
    await tx.run(sql`alter table things drop constraint things_pkey`);
    return insert(tx, 7);
  });
  await expect(refused).rejects.toMatchObject({ constraint: 'late' });
  expect(await ids()).toEqual([]);
  await db.pool.query('alter table things drop constraint late');
});

test('no statement can follow the commit', async () => {
  let late: (() => Promise<number>) | undefined;
  await db.tx(async (tx) => {
    await insert(tx, 1);
    late = () => insert(tx, 2);
  });
  await expect(async () => late?.()).rejects.toThrow('a statement came too late');
  expect(await ids()).toEqual([1]);
});

test('statements skipped after an error throw that error, and a savepoint keeps earlier changes', async () => {
  const outcomes = await db.tx(async (tx) => {
    await insert(tx, 1);
    const outcomes = tx.savepoint(() => Promise.allSettled([insert(tx, 2), insert(tx, 1), insert(tx, 3)]));
    await expect(outcomes).rejects.toMatchObject({ code: '25P02' });
    const failed = tx.savepoint(() => together([insert(tx, 4), insert(tx, 1), insert(tx, 5)]));
    await expect(failed).rejects.toMatchObject({ code: '23505' });
    await insert(tx, 6);
    return Promise.allSettled([insert(tx, 7)]);
  });
  expect(outcomes).toEqual([{ status: 'fulfilled', value: 1 }]);
  expect(await ids()).toEqual([1, 6, 7]);
});

test('what is left for the end runs before the commit, and not when its savepoint was rolled back', async () => {
  const seen = await db.tx(async (tx) => {
    tx.last(async () => void (await insert(tx, 3)));
    const undone = tx.savepoint(async () => {
      tx.last(async () => void (await insert(tx, 4)));
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await insert(tx, 1);
    return tx.rows(sql`select id from things`);
  });
  expect(seen).toEqual([{ id: 1 }]);
  expect(await ids()).toEqual([1, 3]);
  const refused = db.tx(async (tx) => {
    tx.last(() => Promise.reject(new Error('full')));
    await insert(tx, 5);
  });
  await expect(refused).rejects.toThrow('full');
  expect(await ids()).toEqual([1, 3]);
});

test('a savepoint that is gone hides no error', async () => {
  const failed = db.tx((tx) =>
    tx.savepoint(async () => {
      await tx.run(sql`release savepoint s1`);
      throw new Error('the node is lost');
    }),
  );
  await expect(failed).rejects.toThrow('the node is lost');
});

test('a transaction that throws before its first statement leaves no open transaction', async () => {
  for (let time = 0; time < 4; time++) {
    const thrown = db.tx(async () => {
      throw new Error('no');
    });
    await expect(thrown).rejects.toThrow('no');
    const unawaited = db.tx(async (tx) => {
      insert(tx, 9).catch(() => {});
      throw new Error('no');
    });
    await expect(unawaited).rejects.toThrow('no');
  }
  const open = sql`
    select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
  expect(await db.rows(open)).toEqual([]);
  expect(await ids()).toEqual([]);
});

test('a value that cannot be serialised fails the transaction, and nothing is committed', async () => {
  const unwritable = db.tx(async (tx) => {
    await insert(tx, 1);
    return together([insert(tx, 2), tx.run(sql`select ${new Date(Number.NaN)}::timestamptz`), insert(tx, 3)]);
  });
  await expect(unwritable).rejects.toThrow('Invalid time value');
  expect(await ids()).toEqual([]);
});

test('statements awaited together are sent before the first result arrives', async () => {
  const single = openDb({ url: databaseUrl, clock: systemClock, poolSize: 1, onIdleError: () => {} });
  const client = await single.pool.connect();
  const { connection } = client as unknown as {
    connection: { _send(message: Buffer): boolean; on(event: 'commandComplete', listener: () => void): void };
  };
  const seen: string[] = [];
  const send = connection._send.bind(connection);
  connection._send = (message) => {
    seen.push('sent');
    return send(message);
  };
  connection.on('commandComplete', () => seen.push('result'));
  client.release();
  await single.tx((tx) => together([insert(tx, 1), insert(tx, 2)]));
  // `begin` and both inserts.
  expect(seen.slice(0, 3)).toEqual(['sent', 'sent', 'sent']);
  await single.close();
  expect(await ids()).toEqual([1, 2]);
});

test('a transaction fails when its connection breaks, and the next one takes another connection', async () => {
  const cut = db.tx(async (tx) =>
    together([insert(tx, 8), tx.run(sql`select pg_terminate_backend(pg_backend_pid())`), insert(tx, 9)]),
  );
  // The words of the server, or the fault of a write to the closed connection, whichever comes first.
  await expect(cut).rejects.toSatisfy(isDatabaseAway);
  await db.tx((tx) => insert(tx, 10));
  expect(await ids()).toEqual([10]);
});

test('a transaction that revokes access reports it once it has committed, or may have', async () => {
  let revoked = 0;
  const revoking = openDb({
    url: databaseUrl,
    clock: systemClock,
    poolSize: 1,
    onIdleError: () => {},
    onRevoked: () => revoked++,
  });
  await revoking.tx((tx) => insert(tx, 1));
  expect(revoked).toBe(0);
  await revoking.tx(async (tx) => {
    tx.revokes();
    await insert(tx, 2);
    expect(revoked).toBe(0);
  });
  expect(revoked).toBe(1);
  const cut = revoking.tx(async (tx) => {
    tx.revokes();
    await tx.run(sql`select pg_terminate_backend(pg_backend_pid())`);
  });
  await expect(cut).rejects.toMatchObject({ code: '57P01' });
  expect(revoked).toBe(2);
  await revoking.close();
});
