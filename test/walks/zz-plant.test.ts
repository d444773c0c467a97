import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { oneLine } from './plan-faults.ts';
import { sourceStatements } from './source-statements.ts';
import { tablesChangedIn, tablesIn } from './statement-tenancy.ts';
test('x', { timeout: 600_000 }, () => {
  const all = sourceStatements('export {};').map(({ at, text }) => ({
    at, text: oneLine(text), marks: [...text.matchAll(/\/\* (?:visible|ofVisible) (\w+)/g)].map(([all]) => all),
    tables: tablesIn(text), changed: tablesChangedIn(text),
  }));
  writeFileSync('/tmp/f-statements.json', JSON.stringify(all, null, 1));
  expect(all.length).toBeGreaterThan(100);
});
