import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { faultsOf, type RealColumn } from '../../../../test/walks/table-faults.ts';
import type { Column } from './table.ts';
import { tables } from './tables.ts';

const house = useHouse();
let columns: RealColumn[];

beforeAll(async () => {
  const { rows } = await house.app.db.pool.query<RealColumn>(`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull as "isNeverNull"
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`);
  columns = rows;
});

test('each table has its description, with every column that an export may carry or an erasure may scrub', () => {
  expect(faultsOf(tables, columns)).toEqual([]);
});

test('a text without its kind of personal data does not compile', () => {
  const columns: Column[] = [
    // @ts-expect-error: what does an erasure do with it?
    { type: 'text' },
    // @ts-expect-error: HTML is one text.
    { type: 'text[]', personal: 'html' },
    { type: 'text', personal: 'html' },
  ];
  expect(columns).toHaveLength(3);
});

test('each fault of a description is named', () => {
  const real = (name: string, type: string, isNeverNull = true) => ({ table: 'tickets', name, type, isNeverNull });
  expect(
    faultsOf(
      {
        tickets: {
          place: 'workspace',
          columns: {
            id: { type: 'integer' },
            is_vip: { type: 'boolean' },
            gone: { type: 'uuid' },
            note: { type: 'text', personal: 'text', isNeverNull: true },
          },
        },
        notes: { place: 'workspace', leftOut: 'secrets', columns: {} },
        former: { place: 'workspace', columns: {} },
      },
      [
        real('id', 'uuid'),
        real('is_vip', 'boolean', false),
        real('priority', 'smallint'),
        real('note', 'text', false),
        { table: 'notes', name: 'body', type: 'text', isNeverNull: true },
        { table: 'notes', name: 'count', type: 'integer', isNeverNull: true },
        { table: 'teams', name: 'id', type: 'uuid', isNeverNull: true },
      ],
    ),
  ).toEqual([
    'former: no such table',
    'teams: not described',
    'tickets.id: described as integer, and is uuid',
    'tickets.is_vip: may be null, and an import writes the default of boolean',
    'tickets.gone: no such column',
    'tickets.note: may be null',
    'tickets.priority: not described',
    'notes.body: not described',
  ]);
});
