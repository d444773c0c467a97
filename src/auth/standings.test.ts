import { expect, test } from 'vitest';
import { openStandings } from './standings.ts';

/** A process that hears of revocations or not, as the test sets, and counts lookups. */
function open() {
  const state = { isInformed: true, looks: 0, nowMs: 0, lose: () => {} };
  const standings = openStandings({
    clock: { now: () => new Date(state.nowMs) },
    live: {
      followLosses: (onLoss) => {
        state.lose = onLoss;
        return () => state.isInformed;
      },
    },
  });
  const find = async (): Promise<number> => ++state.looks;
  return { state, know: () => standings.know('k', find), standings };
}

test('a value is cached until any revocation', async () => {
  const { state, know } = open();
  expect([await know(), await know()]).toEqual([1, 1]);
  state.lose();
  expect([await know(), await know()]).toEqual([2, 2]);
});

test('the cache answers nothing while a revocation may have been missed', async () => {
  const { state, know } = open();
  await know();
  state.isInformed = false;
  expect([await know(), await know()]).toEqual([2, 3]);
});

test('a value expires, also when the clock was set back', async () => {
  const { state, know } = open();
  await know();
  state.nowMs = 29_999;
  expect(await know()).toBe(1);
  state.nowMs = 30_000;
  expect(await know()).toBe(2);
  state.nowMs = 0;
  expect(await know()).toBe(3);
});

test('a value found during a revocation is not cached: it may be outdated', async () => {
  const { state, standings, know } = open();
  const { promise, resolve } = Promise.withResolvers<number>();
  const found = standings.know('k', () => promise);
  state.lose();
  resolve(100);
  expect(await found).toBe(100);
  expect(await know()).toBe(1);
});

test('undefined is not cached', async () => {
  const { standings, know } = open();
  await standings.know('k', async () => undefined);
  expect(await know()).toBe(1);
});
