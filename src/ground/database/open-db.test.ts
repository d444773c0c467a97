import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cloneDatabase } from '../../../test/harness/harness.ts';
import { systemClock } from '../lib/clock.ts';
import { caller } from '../platform/correlation.ts';
import { type Db, together } from './db.ts';
import { isDatabaseAway } from './faults.ts';
import { openDb, toRfc3339 } from './open-db.ts';
import { emptySql, joinSql, sql, toText } from './sql.ts';

let db: Db;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await cloneDatabase();
  drop = database.drop;
  db = openDb({ url: database.url, clock: systemClock, poolSize: 4, onIdleError: () => {} });
  await db.pool.query('create table things (id integer primary key, name text)');
});
afterAll(async () => {
  await db.close();
  await drop();
});

const names = async () =>
  (await db.rows<{ name: string }>(sql`select name from things order by id`)).map(({ name }) => name);

describe('a statement', () => {
  test('numbers its parameters through nested parts, and has one name per text', () => {
    const where = joinSql([sql`a = ${1}`, sql`b = any(${[2]})`], ' and ');
    const query = sql`select ${sql`c`} from t where ${where} limit ${3}`;
    expect(toText(query)).toMatchObject({
      text: 'select c from t where a = $1 and b = any($2) limit $3',
      values: [1, [2], 3],
    });
    expect(toText(sql`select ${sql`c`}`).name).toBe(toText(sql`select ${sql`c`}`).name);
    expect(toText(sql`x${emptySql}y`).text).toBe('xy');
  });

  test('takes hostile text as a parameter', async () => {
    const hostile = `'; drop table things; --`;
    expect(await db.one(sql`select ${hostile}::text as text`)).toEqual({ text: hostile });
  });

  test('returns timestamps as RFC 3339 with milliseconds, and bigints as numbers', async () => {
    const row = await db.one(sql`select '2026-11-20 19:05:01.1+02'::timestamptz(3) as at, 7::bigint as count`);
    expect(row).toEqual({ at: '2026-11-20T17:05:01.100Z', count: 7 });
    expect(toRfc3339('2026-11-20 19:05:01+00')).toBe('2026-11-20T19:05:01.000Z');
    expect(toRfc3339('infinity')).toBe('infinity');
  });

  test('one() throws without a row, maybe() does not', async () => {
    await expect(db.one(sql`select 1 where false`)).rejects.toThrow('expected a row');
    expect(await db.maybe(sql`select 1 where false`)).toBeUndefined();
  });
});

describe('a transaction', () => {
  test('is all or nothing', async () => {
    const failed = db.tx(async (tx) => {
      await tx.run(sql`insert into things values (1, 'lost')`);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await db.tx(async (tx) => {
      expect(await tx.run(sql`insert into things values (2, 'kept')`)).toBe(1);
    });
    expect(await names()).toEqual(['kept']);
  });

  test('undoes only the work of a failed savepoint', async () => {
    await db.tx(async (tx) => {
      await tx.run(sql`insert into things values (3, 'before')`);
      await expect(tx.savepoint(() => tx.run(sql`insert into things values (3, 'twice')`))).rejects.toThrow(
        'duplicate key',
      );
      await tx.run(sql`insert into things values (4, 'after')`);
    });
    expect(await names()).toEqual(['kept', 'before', 'after']);
  });

  test('fails when the error of a statement was swallowed', async () => {
    const swallowing = db.tx(async (tx) => {
      await tx.run(sql`insert into things values (30, 'lost')`);
      await tx.run(sql`select 1 / 0`).catch(() => {});
    });
    await expect(swallowing).rejects.toThrow('swallowed');
    expect(await names()).not.toContain('lost');
  });

  test('refuses a statement that comes too late', async () => {
    const late = await db.tx(async (tx) => tx);
    await expect(late.rows(sql`select 1`)).rejects.toThrow('finished');
  });

  test('throws the first error of statements sent together', async () => {
    const failed = db.tx((tx) =>
      together([
        tx.run(sql`insert into things values (2, 'again')`),
        tx.run(sql`insert into things values (9, 'behind')`),
      ]),
    );
    await expect(failed).rejects.toMatchObject({ constraint: 'things_pkey' });
    expect(await names()).not.toContain('behind');
  });

  test('runs again after a conflict with another', async () => {
    await db.pool.query(`insert into things values (20, 'a'), (21, 'b')`);
    let runs = 0;
    let bothHold: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      bothHold = resolve;
    });
    const touch = (first: number, second: number) =>
      db.tx(async (tx) => {
        await tx.run(sql`update things set name = name || ${first} where id = ${first}`);
        runs += 1;
        if (runs === 2) bothHold();
        await held;
        await tx.run(sql`update things set name = name || ${second} where id = ${second}`);
      });
    await Promise.all([touch(20, 21), touch(21, 20)]);
    expect(runs).toBeGreaterThanOrEqual(3);
    // Each took effect once, in any order.
    expect((await names()).slice(-2)).toEqual(['a2020', 'b2121']);
  });

  test('leaves a working connection, however it ended', async () => {
    for (let round = 0; round < 12; round++) {
      await db.tx((tx) => tx.run(sql`select 1 / 0`)).catch(() => {});
      expect(await db.one(sql`select 1 as one`)).toEqual({ one: 1 });
    }
  });
});

describe('a database that hangs', () => {
  test('fails statements as unavailable, within a transaction and without', async () => {
    const hanging = openDb({
      url: db.pool.options.connectionString ?? '',
      clock: systemClock,
      poolSize: 2,
      queryTimeoutMs: 200,
      onIdleError: () => {},
    });
    const failures = await Promise.all(
      [hanging.rows(sql`select pg_sleep(3)`), hanging.tx((tx) => tx.rows(sql`select pg_sleep(3)`))].map((work) =>
        work.catch((error: unknown) => error),
      ),
    );
    expect(failures.map(isDatabaseAway)).toEqual([true, true]);
    // The connections are not used again. A busy machine may need more than the 200 ms, so the test polls.
    const ask = () => hanging.tx((tx) => tx.one(sql`select 1 as one`)).catch(isDatabaseAway);
    await expect.poll(ask).toEqual({ one: 1 });
    await hanging.close();
  });

  test('keeps a request waiting for less time than a job', async () => {
    const hanging = openDb({
      url: db.pool.options.connectionString ?? '',
      clock: systemClock,
      poolSize: 3,
      requestQueryTimeoutMs: 50,
      onIdleError: () => {},
    });
    const asked = sql`select pg_sleep(0.3)`;
    const job = Promise.all([hanging.rows(asked), hanging.tx((tx) => tx.rows(asked))]);
    const failures = await caller.run({ ip: '', headers: {} }, () =>
      Promise.all(
        [hanging.rows(asked), hanging.tx((tx) => tx.rows(asked))].map((work) => work.catch((error: unknown) => error)),
      ),
    );
    expect(failures.map(isDatabaseAway)).toEqual([true, true]);
    expect((await job).map(({ length }) => length)).toEqual([1, 1]);
    await hanging.close();
  });

  test('causes no idle error when it stops after the pool was closed', async () => {
    const losses: Error[] = [];
    const closed = openDb({
      url: db.pool.options.connectionString ?? '',
      clock: systemClock,
      poolSize: 1,
      onIdleError: (error) => losses.push(error),
    });
    await closed.rows(sql`select 1`);
    const ended = closed.close();
    closed.pool.emit('error', new Error('terminating connection'), {} as never);
    await ended;
    expect(losses).toEqual([]);
  });
});
