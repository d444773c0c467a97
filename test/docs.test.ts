import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };

const read = (path: string) => readFile(join(import.meta.dirname, '..', path), 'utf8');

/** The words in backticks in the first column of a page's tables. */
function firstColumn(page: string): string[] {
  const cells = page.split('\n').map((line) => /^\| (`[^|]*) \|/.exec(line)?.[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''));
}

test('the page of settings has each that is read, and no other', async () => {
  const files = (await readdir(join(import.meta.dirname, '../src/settings'))).filter((name) =>
    /^config\.ts$|-settings\.ts$/.test(name),
  );
  const source = (await Promise.all(files.map((name) => read(`src/settings/${name}`)))).join('\n');
  const names = [...source.matchAll(/read\.\w+\('([A-Z_]+)'/g)].map((match) => match[1]);
  expect(firstColumn(await read('docs/settings.md')).sort()).toEqual([...new Set(names)].sort());
});

test('the page of dependencies has each of package.json, and no other', async () => {
  const names = [...Object.keys(packageJson.dependencies), ...Object.keys(packageJson.devDependencies)];
  expect(firstColumn(await read('docs/dependencies.md')).sort()).toEqual(names.sort());
});
