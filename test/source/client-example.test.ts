import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test('the first example of the client compiles as it is printed', () => {
  const page = readFileSync(join(root, 'docs/client.md'), 'utf8');
  const example = /^## Client\n[\s\S]*?```ts\n([\s\S]*?)```/m.exec(page)?.[1] ?? '';
  expect(example).toContain('kontor.pages');
  const folder = mkdtempSync(join(root, 'client/example-'));
  try {
    writeFileSync(join(folder, 'example.ts'), example.replace('@kontor/client', './src/index.ts'));
    cpSync(join(root, 'client/src'), join(folder, 'src'), { recursive: true });
    // Made anew: git ignores the types of the client itself, so a fresh clone has none, and others may have old ones.
    expect(complaints('openapi-typescript/bin/cli.js', 'openapi.json', '--output', join(folder, 'src/schema.ts'))).toBe(
      '',
    );
    // As strict as most programs are. The client's own sources are checked with more.
    const compilerOptions = { types: ['node'], exactOptionalPropertyTypes: false, noUnusedLocals: false };
    const settings = { extends: '../tsconfig.json', compilerOptions, include: ['example.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    expect(complaints('typescript/bin/tsc', '-p', folder)).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** What a program of a package says when it fails, and nothing when it succeeds. */
function complaints(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'node_modules', program), ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? '' : `${status}: ${stdout}${stderr}`;
}
