import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { scratchFolder } from '../../../test/harness/scratch-folder.ts';
import { StartError } from '../lib/start-error.ts';
import { keptSecret } from './kept-secret.ts';

test('a secret is generated once, and only its owner can read it', () => {
  const folder = scratchFolder();
  const first = keptSecret(folder, 'auth-secret');
  expect(keptSecret(folder, 'auth-secret')).toEqual(first);
  expect(statSync(join(folder, 'auth-secret')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, 'auth-secret'), 'utf8').length).toBeGreaterThan(40);
  expect(readdirSync(folder)).toEqual(['auth-secret']);
});

test('processes that start at once agree on one secret', async () => {
  const folder = scratchFolder();
  const script = `import { keptSecret } from ${JSON.stringify(join(import.meta.dirname, 'kept-secret.ts'))};
    process.stdout.write(Buffer.from(keptSecret(${JSON.stringify(folder)}, 'auth-secret')).toString());`;
  const started = Array.from({ length: 6 }, () =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]),
  );
  const secrets = (await Promise.all(started)).map(({ stdout }) => stdout);
  expect(new Set(secrets)).toEqual(new Set([readFileSync(join(folder, 'auth-secret'), 'utf8')]));
  expect(readdirSync(folder)).toEqual(['auth-secret']);
});

test.each(['', 'short\n'])('a truncated secret stops the start: "%s"', (content) => {
  const folder = scratchFolder();
  writeFileSync(join(folder, 'auth-secret'), content);
  expect(() => keptSecret(folder, 'auth-secret')).toThrow(StartError);
  expect(() => keptSecret(folder, 'auth-secret')).toThrow(/shorter than 32 bytes/);
});

test('a folder that cannot be used stops the start', () => {
  const file = join(scratchFolder(), 'file');
  writeFileSync(file, '');
  expect(() => keptSecret(file, 'auth-secret')).toThrow(/cannot be used: a file is in its place\. Set DATA_DIR/);
  expect(() => keptSecret(join(file, 'below'), 'auth-secret')).toThrow(/cannot be used: a file is in its place\./);
});
