import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase } from '../../../test/harness/harness.ts';
import { systemClock } from '../lib/clock.ts';
import type { Db } from './db.ts';
import { openDb } from './open-db.ts';
import { quick, sql } from './sql.ts';

let db: Db;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await cloneDatabase();
  drop = database.drop;
  db = openDb({ url: database.url, clock: systemClock, poolSize: 4, onIdleError: () => {} });
});
afterAll(async () => {
  await db.close();
  await drop();
});

const square = (number: number) => db.one<{ square: number }>(quick(sql`select ${number}::integer ^ 2 as square`));
const inverse = (number: number) => db.one<{ inverse: number }>(quick(sql`select 1 / ${number}::float8 as inverse`));
/** Identifies the implicit transaction in which the statement ran, and so its trip. */
const tripOf = () => db.one<{ at: string; pid: number }>(quick(sql`select now()::text as at, pg_backend_pid() as pid`));

test('statements of one turn share a trip, and each gets its own rows', async () => {
  const numbers = Array.from({ length: 120 }, (_, index) => index + 1);
  const answers = await Promise.all(numbers.flatMap((number) => [square(number), inverse(number)]));
  expect(answers).toEqual(numbers.flatMap((number) => [{ square: number ** 2 }, { inverse: 1 / number }]));
  expect(await Promise.all([tripOf(), tripOf()])).toSatisfy(([one, other]) => one.at === other.at);
  expect(await db.rows(quick(sql`select 1 as one where false`))).toEqual([]);
});

test('a failed statement does not fail the others', async () => {
  for (let time = 0; time < 3; time++) {
    const outcomes = await Promise.allSettled([square(1), inverse(0), square(2), inverse(0), square(3), inverse(4)]);
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code))).toEqual([
      { square: 1 },
      '22012',
      { square: 4 },
      '22012',
      { square: 9 },
      { inverse: 0.25 },
    ]);
  }
});

test('a statement that cannot be parsed does not fail the others, even unparsed ones after it', async () => {
  const nonsense = () => db.rows(quick(sql`select nonsense`));
  const fresh = (number: number) => db.one(quick(sql`select ${number}::integer as fresh`));
  const outcomes = await Promise.allSettled([nonsense(), fresh(1), fresh(2), nonsense(), fresh(3)]);
  expect(outcomes).toMatchObject([
    { reason: { code: '42703' } },
    { value: { fresh: 1 } },
    { value: { fresh: 2 } },
    { reason: { code: '42703' } },
    { value: { fresh: 3 } },
  ]);
});

test('statements of one turn travel together and in order, however many others wait', async () => {
  const asked = Array.from({ length: 40 }, () => tripOf());
  const trips = await Promise.all([...asked.slice(0, 19), tripOf(), tripOf(), ...asked.slice(19)]);
  expect(new Set(trips.map(({ at, pid }) => `${pid} ${at}`)).size).toBe(1);
  const apart = Array.from({ length: 40 }, () => Promise.resolve().then(() => Promise.all([tripOf(), tripOf()])));
  for (const [one, other] of await Promise.all(apart)) expect(one).toEqual(other);
});

test('a value that cannot be serialised fails only its own statement', async () => {
  const unwritable = db.one(quick(sql`select ${new Date(Number.NaN)}::timestamptz as never`));
  const outcomes = await Promise.allSettled([square(1), unwritable, square(2)]);
  expect(outcomes).toMatchObject([{ value: { square: 1 } }, { status: 'rejected' }, { value: { square: 4 } }]);
});

test('a slow statement delays only those in its trip', async () => {
  const holder = await db.pool.connect();
  await holder.query('select pg_advisory_lock(1)');
  const held = async () => {
    const { rowCount } = await holder.query(`
      select from pg_locks
      where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`);
    return rowCount;
  };
  const slow: Promise<unknown>[] = [];
  for (let trip = 1; trip <= 2; trip++) {
    slow.push(db.rows(quick(sql`select pg_advisory_xact_lock_shared(1)`)));
    await expect.poll(held).toBe(trip);
  }
  expect(await square(5)).toEqual({ square: 25 });
  expect(await held()).toBe(2);
  await holder.query('select pg_advisory_unlock(1)');
  holder.release();
  await Promise.all(slow);
});

test('a lost connection fails the statements on it, and the next trip takes another', async () => {
  const lost = [tripOf(), db.rows(quick(sql`select pg_terminate_backend(pg_backend_pid())`)), square(2)];
  const outcomes = await Promise.allSettled(lost);
  expect(outcomes.map(({ status }) => status).slice(0, 2)).toEqual(['fulfilled', 'rejected']);
  expect(await square(6)).toEqual({ square: 36 });
});

test('without a connection all waiting statements fail', async () => {
  const away = openDb({
    url: 'postgres://nobody@127.0.0.1:1/none',
    clock: systemClock,
    poolSize: 1,
    onIdleError: () => {},
  });
  const asked = Array.from({ length: 3 }, () => away.rows(quick(sql`select 1`)));
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes).toMatchObject(Array.from({ length: 3 }, () => ({ reason: { code: 'ECONNREFUSED' } })));
  await away.close();
});
