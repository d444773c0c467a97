import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const sources = join(import.meta.dirname, '../../web/src');

/** Two queries under one key read each other's data, and a page of another shape ends the whole page. */
test('no two queries have the same key', () => {
  const keys = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('.test.'))
    .flatMap((path) => {
      const text = readFileSync(join(sources, path), 'utf8');
      return [...text.matchAll(/ueryOptions\(\{\s*queryKey: (\[.*?\]),\n/gs)].map(([, key]) => key);
    });
  expect(keys.length).toBeGreaterThan(25);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});
