import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../harness/service-process.ts';

const root = join(import.meta.dirname, '../..');
const place = await temporaryFolder();
afterAll(place.remove);
const dataDir = join(place.path, 'data');

/** The Node of the system, which may be older than the pinned one. */
const otherNode = spawnSync('sh', ['-c', 'PATH=/usr/local/bin:/usr/bin:/bin command -v node'], { encoding: 'utf8' });
const nodes = [process.execPath, otherNode.stdout.trim()].filter(Boolean);

function operate(words: string[], { node = process.execPath, script = 'operate.js', settings = {} } = {}) {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, ...settings };
  const { status, stdout, stderr } = spawnSync(node, [join(root, script), ...words], {
    cwd: place.path,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test.each(['serve', 'migrate', 'backup', 'import', 'openapi'])('%s tells its usage, and does nothing else', (name) => {
  // A setting that no start accepts, so that help visibly does not read it.
  const { status, stdout, stderr } = operate([name, '--help'], { script: 'src/main.ts', settings: { PORT: 'none' } });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^usage: node operate\\.js ${name}`));
  expect(existsSync(dataDir)).toBe(false);
});

test.each([
  ['an unknown command', ['fly'], "There is no command 'fly'."],
  ['a command of objects', ['toString'], "There is no command 'toString'."],
  ['no folder', ['backup'], 'usage: node operate.js backup'],
  ['an empty folder name', ['backup', ''], 'usage: node operate.js backup'],
  ['a negative number', ['backup', '/x', '--keep=-1'], 'usage: node operate.js backup'],
  ['an unknown option of restore', ['restore', '/x', '--force'], "Unknown option '--force'\nusage:"],
  ['a parameter of go-live', ['go-live', 'now'], 'usage: node operate.js go-live'],
  ['a parameter of migrate', ['migrate', 'now'], "Unexpected parameter 'now'\nusage: node operate.js migrate"],
  ['an option of migrate', ['migrate', '--dry-run'], "Unknown option '--dry-run'\nusage: node operate.js migrate"],
  ['a parameter of serve', ['serve', '3000'], "Unexpected parameter '3000'\nusage: node operate.js serve"],
  ['no workspace to export', ['export', '/x'], 'usage: node operate.js export'],
  ['no mail to import', ['import', '--workspace', 'a'], 'usage: node operate.js import'],
  ['an unknown option of import', ['import', '--workspace', 'a', '--all', '/x'], "Unknown option '--all'"],
  ['an unknown help desk', ['convert', 'jira', '/x'], 'usage: node operate.js convert'],
  ['no data to convert', ['convert', 'zendesk'], 'usage: node operate.js convert zendesk'],
])('%s is refused with the usage, before anything is made', (_name, words, sentence) => {
  const { status, stdout, stderr } = operate(words);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain('    at ');
  expect(existsSync(dataDir)).toBe(false);
});

test.each(nodes)('commands run with the Node %s, from any folder', async (node) => {
  expect(operate(['openapi', '--check'], { node })).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(operate(['verify', join(place.path, 'none')], { node })).toMatchObject({ status: 1 });
  expect(operate(['convert', 'zendesk', '--help'], { node })).toMatchObject({ status: 0 });
  // Signals reach the service, and its exit code comes back.
  const service = spawn(node, [join(root, 'scripts/start.js')], {
    cwd: place.path,
    env: { PATH: process.env.PATH, DATA_DIR: join(place.path, 'served'), PORT: '0' },
  });
  const exit = once(service, 'exit');
  let output = '';
  let isStopping = false;
  for await (const text of service.stdout.setEncoding('utf8')) {
    output += text;
    // Once: a second signal ends the service at once, with 1.
    if (!isStopping && output.includes('Kontor listens at')) isStopping = service.kill('SIGTERM');
  }
  expect(await exit).toEqual([0, null]);
  expect(output).toContain('"msg":"stopped"');
});
