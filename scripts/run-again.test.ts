import { spawnSync } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../test/harness/service-process.ts';

const passes = `import { test } from 'vitest'; test('passes', () => {});`;
const failsOnce = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { expect, test } from 'vitest';
  test('fails once', () => {
    const isSecond = existsSync('ran');
    writeFileSync('ran', '');
    expect(isSecond).toBe(true);
  });`;
const failsAlways = `import { expect, test } from 'vitest'; test('fails', () => expect(1).toBe(2));`;

/** Runs tests as `.ci/run` does, and then again what failed. */
async function runTwice(files: Record<string, string>): Promise<{ status: number | null; flaky: string }> {
  const { path, remove } = await temporaryFolder();
  onTestFinished(remove);
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, `${name}.test.js`), text);
  const root = join(import.meta.dirname, '..');
  await symlink(join(root, 'node_modules'), join(path, 'node_modules'));
  const options = { cwd: path, encoding: 'utf8' } as const;
  spawnSync('npx', ['vitest', 'run', '--reporter=json', '--outputFile=report.json'], options);
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/run-again.ts'), 'report.json', 'flaky'], options);
  return { status, flaky: await readFile(join(path, 'flaky'), 'utf8').catch(() => '') };
}

test('a file that fails once is run again and named; one that fails twice fails the run', async () => {
  expect(await runTwice({ passes, once: failsOnce })).toEqual({ status: 0, flaky: 'flaky: once.test.js\n' });
  expect(await runTwice({ once: failsOnce, always: failsAlways })).toMatchObject({ status: 1 });
  expect(await runTwice({ passes })).toEqual({ status: 1, flaky: '' });
});
