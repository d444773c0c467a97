import { afterEach, expect, test } from 'vitest';
import { openThreads, type Threads } from './threads.ts';

/** Doubles numbers; stops in mid-work at 13, throws at anything else. */
const source = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', (question) => {
    if (question === 13) process.exit(0);
    const isNumber = typeof question === 'number';
    parentPort.postMessage(isNumber ? { answer: question * 2 } : { fault: new Error('no number') });
  });`;
const module = new URL(`data:text/javascript,${encodeURIComponent(source)}`);

let threads: Threads<unknown, number>;
const open = (countMax: number, waitingMax: number) => {
  threads = openThreads<unknown, number>({ module, countMax, waitingMax });
  return threads;
};
afterEach(() => threads.close());

test('more questions than threads are answered one after the other', async () => {
  const { ask } = open(2, 100);
  const asked = Array.from({ length: 20 }, (_, number) => number + 100);
  expect(await Promise.all(asked.map(ask))).toEqual(asked.map((number) => number * 2));
});

test('a question that fails does so alone', async () => {
  const { ask } = open(1, 100);
  const told = await Promise.allSettled([ask(1), ask('one'), ask(2)]);
  expect(told).toMatchObject([{ value: 2 }, { reason: new Error('no number') }, { value: 4 }]);
});

test('a thread that ends in mid-work costs its own question, and those that wait are answered', async () => {
  const { ask } = open(1, 100);
  const told = await Promise.allSettled([ask(13), ask(1), ask(13), ask(2)]);
  expect(told.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await ask(3)).toBe(6);
});

test('who would wait for too long is refused, and told when to come back', async () => {
  const { ask } = open(1, 2);
  const told = await Promise.allSettled([ask(1), ask(2), ask(3), ask(4)]);
  expect(told.slice(0, 3).every(({ status }) => status === 'fulfilled')).toBe(true);
  expect(told[3]).toMatchObject({ reason: { key: 'unavailable', headers: { 'retry-after': '5' } } });
});

test('closed, it leaves nobody waiting', async () => {
  const { ask, close } = open(1, 100);
  const asked = Promise.allSettled([ask(1), ask(2)]);
  await close();
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
