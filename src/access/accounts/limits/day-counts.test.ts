import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { takeOfDay } from './day-counts.ts';

const house = useHouse();
const a = { subject: 'a', max: 5 };
const all = { subject: 'all', max: 7 };
beforeEach(() => house.app.db.pool.query('delete from day_counts'));

const take = (limits: (typeof a)[], amount: number) => house.app.db.tx((tx) => takeOfDay(tx, limits, amount));

test('an amount counts against all limits or none', async () => {
  expect(await take([a, all], 5)).toBeUndefined();
  expect((await take([all, a], 1))?.limit).toEqual(a);
  expect(await take([all], 2)).toBeUndefined();
  expect((await take([all], 1))?.limit).toEqual(all);
});

test('more than a limit at once is refused, and 0 is no limit', async () => {
  expect((await take([a], 6))?.limit).toEqual(a);
  expect(await take([a], 5)).toBeUndefined();
  expect(await take([{ subject: 'b', max: 0 }], 1_000)).toBeUndefined();
});

test('a count ends after a day', async () => {
  await take([a], 5);
  house.clock.advance(86_399_000);
  expect((await take([a], 1))?.waitSeconds).toBe(1);
  house.clock.advance(1_000);
  expect(await take([a], 5)).toBeUndefined();
});

test('concurrent amounts together stay within the limit', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => take([a, all], 1)));
  expect(answers.filter((reached) => reached === undefined)).toHaveLength(5);
});
