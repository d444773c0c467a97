import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProcess } from './answerers.ts';
import { openThreads } from './threads.ts';

const answerQuestions = new URL('./answer-questions.ts', import.meta.url);
/** Doubles numbers, tells its settings, stops in mid-work at 13, throws at anything else. */
const source = `
  import { answerQuestions } from '${answerQuestions}';
  answerQuestions((question) => {
    if (question === 13) process.exit(0);
    if (question === 'settings') return process.env;
    if (typeof question !== 'number') throw new Error('no number');
    return question * 2;
  });`;

let folder: string;
let module: URL;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-answerers-'));
  module = pathToFileURL(join(folder, 'doubles.mjs'));
  await writeFile(module, source);
});
afterAll(() => rm(folder, { recursive: true }));

test('processes answer as threads do, and know none of the settings', async () => {
  const processes = openThreads<unknown, unknown>({ module, start: startProcess, countMax: 1, waitingMax: 100 });
  const told = await Promise.allSettled([2, 'two', 13, 3, 'settings'].map(processes.ask));
  expect(told).toMatchObject([
    { value: 4 },
    { reason: new Error('no number') },
    { reason: new Error('a process ended in mid-work') },
    { value: 6 },
    { status: 'fulfilled' },
  ]);
  expect(told.at(-1)).not.toHaveProperty('value.PATH');
  const left = Promise.allSettled([processes.ask(4)]);
  await processes.close();
  expect(await left).toMatchObject([{ status: 'rejected' }]);
});

test('a process ends when the one that started it is killed', async () => {
  const parent = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { startProcess } from '${new URL('./answerers.ts', import.meta.url)}';
       const onReply = ({ answer }) => process.stdout.write(String(answer), () => process.kill(process.pid, 'SIGKILL'));
       startProcess(new URL('${module}'), { onReply, onEnd: () => {} }).ask(1);`,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  parent.stdout.on('data', (text) => {
    output += text;
  });
  // Both write to this pipe, so that it closes when both are gone.
  const [, signal] = await once(parent, 'close');
  expect([output, signal]).toEqual(['2', 'SIGKILL']);
});
