import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openWorkerPool, type WorkerPool } from './worker-pool.ts';

type Question = number | 'die' | 'throw' | 'hang' | 'wait' | 'fill' | 'niceness' | ArrayBuffer;

/** Doubles numbers, and fails in every way that a thread can. */
const source = `
  import { getPriority } from 'node:os';
  export function answer(question) {
    if (question === 'die') process.exit(0);
    if (question === 'throw') throw new TypeError('no number');
    if (question === 'hang') for (;;);
    if (question === 'wait') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    if (question === 'niceness') return getPriority(0);
    if (question === 'fill') for (const kept = [];;) kept.push(new Array(100_000).fill(kept.length));
    if (question instanceof ArrayBuffer) return question.byteLength;
    return question * 2;
  }`;

let folder: string;
const moduleOf = (name: string) => pathToFileURL(join(folder, name));
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-pool-'));
  await writeFile(join(folder, 'answers.mjs'), source);
  await writeFile(join(folder, 'broken.mjs'), `throw new Error('broken');`);
});
afterAll(() => rm(folder, { recursive: true }));

let pool: WorkerPool<Question, number>;
const open = (options: Partial<Parameters<typeof openWorkerPool>[0]> = {}) => {
  pool = openWorkerPool<Question, number>({
    module: moduleOf('answers.mjs'),
    threadsMax: 1,
    waitingMax: 100,
    ...options,
  });
  return pool;
};
afterEach(() => pool.close());

test('questions beyond the number of threads wait for their turn', async () => {
  const { ask } = open({ threadsMax: 2 });
  const asked = Array.from({ length: 20 }, (_, number) => number + 100);
  expect(await Promise.all(asked.map((number) => ask(number)))).toEqual(asked.map((number) => number * 2));
});

test('transferred memory is detached in the caller', async () => {
  const { ask } = open();
  const memory = new ArrayBuffer(1_000);
  expect(await ask(memory, { transfer: [memory] })).toBe(1_000);
  expect(memory.detached).toBe(true);
});

test.runIf(process.platform === 'linux')('threads leave the processor to requests', async () => {
  expect(await open().ask('niceness')).toBe(Math.min(getPriority() + 15, 19));
});

describe('a failed question does not affect the others', () => {
  const others = async (fatal: Question, options: Parameters<typeof open>[0] = {}, next = fatal) => {
    const { ask } = open(options);
    const told = await Promise.allSettled([ask(fatal), ask(1), ask(next), ask(2)]);
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await ask(3)).toBe(6);
    return told[0]?.status === 'rejected' ? told[0].reason : undefined;
  };

  test('when the work throws', async () => {
    expect(await others('throw')).toEqual(new TypeError('no number'));
  });
  test('when its thread ends', async () => {
    expect(await others('die')).toBeInstanceOf(Error);
  });
  test('when it takes too long', async () => {
    // Only one of them needs the processor meanwhile.
    expect(await others('hang', { secondsMax: 5 }, 'wait')).toMatchObject({ name: 'WorkerTimeout' });
  });
  test('when it needs more memory than a thread may have', async () => {
    expect(await others('fill', { heapMbMax: 32 })).toMatchObject({ code: 'ERR_WORKER_OUT_OF_MEMORY' });
  });
});

test('a module that cannot be loaded fails the questions that wait for it', async () => {
  const { ask } = open({ module: moduleOf('broken.mjs') });
  expect((await Promise.allSettled([ask(1), ask(2)])).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a full queue refuses callers and says when to retry', async () => {
  const { ask } = open({ waitingMax: 2 });
  const told = await Promise.allSettled([ask(1), ask(2), ask(3), ask(4)]);
  expect(told.slice(0, 3).every(({ status }) => status === 'fulfilled')).toBe(true);
  expect(told[3]).toMatchObject({ reason: { key: 'unavailable', headers: { 'retry-after': '5' } } });
});

test('closing the pool fails the questions that wait', async () => {
  const { ask, close } = open();
  const asked = Promise.allSettled([ask(1), ask(2)]);
  await close();
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
