import { expect, test } from 'vitest';
import { asSuperuser } from '../../../test/harness/explain.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { skipOnCitus } from '../../../test/harness/skip-on-citus.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { gatherStatistics } from './gather-statistics.ts';

const house = useHouse();

type Size = { name: string; rows: number };
const believe = (table: string, rows: number) =>
  asSuperuser(house, (client) =>
    client.query('update pg_class set reltuples = $1 where oid = $2::regclass', [rows, table]),
  );
const believed = async (...names: string[]): Promise<number[]> => {
  const sizes = await house.app.db.rows<Size>(sql`
    select relname as name, reltuples as rows from pg_class where oid = any(${names}::regclass[])`);
  return names.map((name) => Number(sizes.find((size) => size.name === name)?.rows));
};

test('only tables that were small before are analyzed', async (context) => {
  skipOnCitus(context, 'On Citus autovacuum gathers statistics.');
  await makeOwner(house);
  await believe('messages', 1_000_000);
  await gatherStatistics(house.app.db, 1_000);
  expect(await believed('raw_mails', 'tickets', 'messages')).toEqual([0, 0, 1_000_000]);
  await believe('messages', 100);
  await gatherStatistics(house.app.db, 1_000);
  expect(await believed('messages')).toEqual([0]);
  await believe('messages', 100);
  await believe('raw_mails', 1_000);
  await gatherStatistics(house.app.db, 1_000);
  expect(await believed('messages', 'raw_mails')).toEqual([100, 1_000]);
});
