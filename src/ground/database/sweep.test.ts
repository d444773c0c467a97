import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { sql } from './sql.ts';
import { type Sweep, sweepAll } from './sweep.ts';

const house = useHouse();

test('a sweep runs in batches until nothing is left', async () => {
  const batches: number[] = [];
  let left = 12_000;
  const sweep: Sweep = async (_tx, rowsMax) => {
    const deleted = Math.min(left, rowsMax);
    left -= deleted;
    batches.push(deleted);
    return deleted;
  };
  await sweepAll(house.app.db, [sweep]);
  expect(batches).toEqual([5_000, 5_000, 2_000]);
});

test('a failed sweep does not stop the others, and its error is thrown', async () => {
  const swept: string[] = [];
  const failing: Sweep = (tx) => tx.run(sql`select 1 / 0`);
  const other: Sweep = async () => swept.push('other') - 1;
  await expect(sweepAll(house.app.db, [failing, other])).rejects.toThrow('division by zero');
  await expect(sweepAll(house.app.db, [failing, other, failing])).rejects.toThrow('2 sweeps failed');
  expect(swept).toEqual(['other', 'other']);
});
