import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

test('the first example of the client compiles as it is printed', () => {
  const page = readFileSync(join(root, 'docs/client.md'), 'utf8');
  const example = /^## Client\n[\s\S]*?```ts\n([\s\S]*?)```/m.exec(page)?.[1] ?? '';
  expect(example).toContain('kontor.pages');
  const folder = mkdtempSync(join(root, 'client/example-'));
  try {
    const path = join(folder, 'example.ts');
    writeFileSync(path, example.replace('@kontor/client', '../src/index.ts'));
    // As strict as most programs are. The client's own sources are checked with more.
    const compilerOptions = { types: ['node'], exactOptionalPropertyTypes: false, noUnusedLocals: false };
    const settings = { extends: '../tsconfig.json', compilerOptions, include: ['example.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const { stdout } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);
