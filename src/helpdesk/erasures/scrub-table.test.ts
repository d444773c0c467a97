import { expect, test } from 'vitest';
import { scrubbedOf, tableNames } from '../../ground/catalog/tables/tables.ts';
import { scrubbedTables } from './scrub-table.ts';

test('an erasure goes through each table with texts to scrub', () => {
  const described = tableNames.filter((name) => scrubbedOf(name).size > 0);
  expect([...scrubbedTables, 'messages'].sort()).toEqual(described.sort());
});
