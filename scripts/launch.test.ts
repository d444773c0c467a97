import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const launcher = JSON.stringify(join(import.meta.dirname, 'launch.js'));

/** The command line of a program that runs as it does below an old Node. */
function beside(program: string): string[] {
  const words = JSON.stringify(['-e', `${program}; setInterval(() => {}, 1_000); console.log('begun')`]);
  return ['--input-type=module', '-e', `import { runBeside } from ${launcher}; runBeside(${words}, process.env)`];
}

test.each<[NodeJS.Signals, string, number]>([
  ['SIGTERM', "process.on('SIGTERM', () => process.exit(7))", 7],
  ['SIGINT', "process.on('SIGINT', () => process.exit(8))", 8],
  ['SIGHUP', "process.on('SIGHUP', () => process.exit(9))", 9],
  ['SIGTERM', '', 128 + 15],
])('%s reaches the program, and its end comes back', async (signal, program, code) => {
  const child = spawn(process.execPath, beside(program));
  child.stdout.once('data', () => child.kill(signal));
  // Closed once the program itself has ended, too.
  expect(await once(child, 'close')).toEqual([code, null]);
});

const hasTerminals = spawnSync('script', ['--version']).status === 0;

test.skipIf(!hasTerminals)('Ctrl+C at a terminal reaches the program once', async () => {
  const program = `let count = 40;
    process.on('SIGINT', () => { count++; console.log('interrupted'); setTimeout(() => process.exit(count), 500) })`;
  // With exec no shell stands between, whose own exit code would come back.
  const words = [process.execPath, ...beside(program)].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const child = spawn('script', ['--quiet', '--return', '--command', `exec ${words.join(' ')}`, '/dev/null']);
  child.stdout.once('data', () => child.stdin.write('\x03'));
  const [output, [code]] = await Promise.all([textOf(child.stdout), once(child, 'close')]);
  expect(output).toContain('interrupted');
  expect(code).toBe(41);
});
