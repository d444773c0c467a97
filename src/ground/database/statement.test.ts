import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { systemClock } from '../lib/clock.ts';
import { openDb } from './open-db.ts';
import { sql } from './sql.ts';

const house = useHouse();

/** Runs one statement, whose columns are described at its first run on a connection. */
const read = (count: number) =>
  house.app.db.rows(sql`
    select n, n::text as text, null as nothing, array[n] as list, to_jsonb(n) as json,
      now() - now() = interval '0' as is_true
    from generate_series(1, ${count}::integer) n`);
const row = (n: number) => ({ n, text: `${n}`, nothing: null, list: [n], json: n, is_true: true });

test('a statement returns the same each time, on every connection, even without rows', async () => {
  expect(await read(2)).toEqual([row(1), row(2)]);
  expect(await read(1)).toEqual([row(1)]);
  expect(await read(0)).toEqual([]);
  const counts = Array.from({ length: 30 }, (_, index) => index % 4);
  const answers = await Promise.all(counts.map(read));
  expect(answers.map((rows) => rows.length)).toEqual(counts);
  expect(answers[3]).toEqual([row(1), row(2), row(3)]);
});

test('statements of one transaction that are sent together each get their own rows and errors', async () => {
  const outcomes = await house.app.db.tx(async (tx) => {
    const one = () => tx.rows(sql`select 1 as one`);
    const two = () => tx.rows(sql`select 2 as two, 3 as three`);
    return Promise.all([one(), two(), one(), two()]);
  });
  expect(outcomes).toEqual([[{ one: 1 }], [{ two: 2, three: 3 }], [{ one: 1 }], [{ two: 2, three: 3 }]]);
  const divide = (by: number) => house.app.db.one(sql`select 6 / ${by}::integer as quotient`);
  expect(await divide(2)).toEqual({ quotient: 3 });
  await expect(divide(0)).rejects.toThrow('division by zero');
  expect(await divide(3)).toEqual({ quotient: 2 });
});

test('a new connection reads the current columns, even if other connections knew older ones', async () => {
  await house.app.db.tx((tx) => tx.run(sql`create table sizes as select 1 as size`));
  const readSizes = (db = house.app.db) => db.rows(sql`select size from sizes`);
  expect(await readSizes()).toEqual([{ size: 1 }]);
  await house.app.db.tx((tx) => tx.run(sql`alter table sizes alter column size type text using 'small'`));
  const later = openDb({ url: house.databaseUrl, clock: systemClock, poolSize: 1, onIdleError: () => {} });
  const answers = [await readSizes(later), await readSizes(later)];
  await later.close();
  expect(answers).toEqual([[{ size: 'small' }], [{ size: 'small' }]]);
});
