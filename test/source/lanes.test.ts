import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dearTests } from './lanes.ts';

test('every test that the fast lane leaves out exists', () => {
  const missing = dearTests.filter((path) => !existsSync(join(import.meta.dirname, '../..', path)));
  expect(missing).toEqual([]);
});
