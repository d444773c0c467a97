import { type Column, type ColumnType, defaults, type Table } from '../../src/ground/catalog/tables/table.ts';

/** A column in PostgreSQL's catalogue. */
export type RealColumn = { table: string; name: string; type: string; isNeverNull: boolean };

const typesHere: Record<string, ColumnType> = {
  smallint: 'integer',
  bigint: 'integer',
  'timestamp(3) with time zone': 'time',
  'timestamp with time zone': 'fine time',
  jsonb: 'json',
  tsvector: 'search',
  xid8: 'transaction',
};
const textTypes = new Set(['text', 'text[]', 'json']);

/** Differences between the descriptions of tables and PostgreSQL's catalogue, and what the descriptions leave open. */
export function faultsOf(tables: Readonly<Record<string, Table>>, real: readonly RealColumn[]): string[] {
  const realTables = new Set(real.map(({ table }) => table));
  return [
    ...Object.keys(tables).flatMap((name) => (realTables.has(name) ? [] : [`${name}: no such table`])),
    ...[...realTables].flatMap((name) => (name in tables ? [] : [`${name}: not described`])),
    ...Object.entries(tables).flatMap(([name, table]) => {
      const columns = real.filter((column) => column.table === name);
      return columns.length === 0 ? [] : faultsIn(name, table, columns);
    }),
  ];
}

function faultsIn(table: string, { columns, leftOut }: Table, real: readonly RealColumn[]): string[] {
  const types = new Map(
    real.map(({ name, type, isNeverNull }) => [name, { type: typesHere[type] ?? type, isNeverNull }]),
  );
  const isWanted = (type: string) => leftOut === undefined || textTypes.has(type);
  return [
    ...Object.entries(columns).flatMap(([name, column]) =>
      faultOf(column, types.get(name)).map((fault) => `${table}.${name}: ${fault}`),
    ),
    ...[...types].flatMap(([name, { type }]) =>
      name in columns || !isWanted(type) ? [] : [`${table}.${name}: not described`],
    ),
  ];
}

function faultOf({ type, isNeverNull }: Column, real: { type: string; isNeverNull: boolean } | undefined): string[] {
  if (real === undefined) return ['no such column'];
  if (real.type !== type) return [`described as ${type}, and is ${real.type}`];
  if (type in defaults && !real.isNeverNull) return [`may be null, and an import writes the default of ${type}`];
  if (isNeverNull === true && !real.isNeverNull) return ['may be null'];
  return [];
}
