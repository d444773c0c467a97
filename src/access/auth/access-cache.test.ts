import { expect, test } from 'vitest';
import { openAccessCache } from './access-cache.ts';

/** A cache that counts lookups. */
function open() {
  const state = { looks: 0, nowMs: 0 };
  const cache = openAccessCache({ now: () => new Date(state.nowMs) });
  const find = async (): Promise<number> => ++state.looks;
  return { state, know: () => cache.know('k', find), cache };
}

test('a value is cached until any revocation', async () => {
  const { cache, know } = open();
  expect([await know(), await know()]).toEqual([1, 1]);
  cache.clear();
  expect([await know(), await know()]).toEqual([2, 2]);
});

test('a value expires after a second, also when the clock was set back', async () => {
  const { state, know } = open();
  await know();
  state.nowMs = 999;
  expect(await know()).toBe(1);
  state.nowMs = 1_000;
  expect(await know()).toBe(2);
  state.nowMs = 0;
  expect(await know()).toBe(3);
});

test('the second of a value begins with its lookup', async () => {
  const { state, cache, know } = open();
  await cache.know('k', async () => {
    state.nowMs = 900;
    return 100;
  });
  state.nowMs = 999;
  expect(await know()).toBe(100);
  state.nowMs = 1_000;
  expect(await know()).toBe(1);
});

test('a value found during a revocation is not cached: it may be outdated', async () => {
  const { cache, know } = open();
  const { promise, resolve } = Promise.withResolvers<number>();
  const found = cache.know('k', () => promise);
  cache.clear();
  resolve(100);
  expect(await found).toBe(100);
  expect(await know()).toBe(1);
});

test('undefined is not cached', async () => {
  const { cache, know } = open();
  await cache.know('k', async () => undefined);
  expect(await know()).toBe(1);
});
