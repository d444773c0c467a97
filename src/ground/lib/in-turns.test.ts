import { expect, test } from 'vitest';
import { inTurns } from './in-turns.ts';

test('work runs in order and never above the limit, even when some of it fails', async () => {
  const turn = inTurns(2);
  let underWay = 0;
  let most = 0;
  const begun: number[] = [];
  const work = (item: number) =>
    turn(async () => {
      begun.push(item);
      most = Math.max(most, ++underWay);
      await new Promise(setImmediate);
      underWay--;
      if (item % 2 === 1) throw new Error(`${item}`);
      return item;
    });
  const outcomes = await Promise.allSettled([0, 1, 2, 3, 4, 5].map(work));
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
  ]);
  expect([most, underWay, begun]).toEqual([2, 0, [0, 1, 2, 3, 4, 5]]);
  expect(await turn(async () => 'free again')).toBe('free again');
});

test('an owner with a long queue does not delay the other owners', async () => {
  const turn = inTurns(1);
  const begun: string[] = [];
  const work = (item: string) =>
    turn(async () => {
      begun.push(item);
      await new Promise(setImmediate);
    }, item[0]);
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(work));
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});
