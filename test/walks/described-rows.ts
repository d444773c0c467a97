import pg from 'pg';
import type { PlanNode } from '../harness/explain.ts';

/** A column of a result, as PostgreSQL describes it. */
export type Described = {
  name: string;
  /** A value as the service reads it; undefined for a type that no statement selects yet. */
  sample: unknown;
  /** Undefined if the statement leaves it open. */
  isNullable: boolean | undefined;
};

type Column = Pick<pg.FieldDef, 'name' | 'tableID' | 'columnID' | 'dataTypeID'>;
type Table = { name: string; notNull: (number | null)[]; columns: string[] };

/** A value of each type in PostgreSQL's text format. */
const samples: Record<string, string> = {
  bool: 't',
  bytea: '\\x00',
  float8: '1.5',
  int2: '1',
  int4: '1',
  int8: '1',
  json: '{}',
  jsonb: '{}',
  name: 'a',
  numeric: '1.5',
  pg_snapshot: '1:1:',
  text: 'a',
  timestamptz: '2026-11-20 19:05:01.12+00',
  uuid: '00000000-0000-0000-0000-000000000000',
  xid8: '1',
  _bool: '{t}',
  _int4: '{1}',
  _json: '{"{}"}',
  _text: '{a}',
  _uuid: '{00000000-0000-0000-0000-000000000000}',
};

export type Describe = (text: string) => Promise<Described[]>;

/** @returns a function that describes the rows of a statement without running it */
export async function openDescribe(client: pg.Client): Promise<Describe> {
  const types = await client.query<{ oid: number; name: string }>('select oid, typname as name from pg_type');
  const typeNames = new Map(types.rows.map(({ oid, name }) => [oid, name]));
  const found = await client.query<Table & { oid: number }>(`
    select c.oid, c.relname as name, array_agg(case when a.attnotnull then a.attnum::int end) as "notNull",
      array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    group by c.oid, c.relname`);
  const tables = new Map(found.rows.map(({ oid, ...table }) => [oid, table]));
  return async (text) => {
    const columns = await columnsOf(client, text);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (generic_plan, verbose, format json) ${text}`,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
    return columns.map((column, index) => {
      const output = plan.Output?.[index] ?? '';
      const sample = samples[typeNames.get(column.dataTypeID) ?? ''];
      const isNull = output.startsWith('NULL::');
      return {
        name: column.name,
        sample: isNull ? null : sample && pg.types.getTypeParser(column.dataTypeID)(sample),
        isNullable: isNull || isNullable(column, tables.get(column.tableID), { text, plan, output }),
      };
    });
  };
}

type Plan = Partial<Pick<PlanNode, 'Relation Name'>> & {
  Alias?: string;
  'Join Type'?: string;
  'Parent Relationship'?: string;
  Output?: string[];
  Plans?: Plan[];
};

const constant = String.raw`true|false|'[^']*'(::\w+)?|\d+`;
/** Expressions that are never null, as a plan prints them. */
const neverNull = new RegExp(
  String.raw`^\(*(count\([^()]*\)|EXISTS\([^()]*\)|ARRAY\([^()]*\)|now\(\)|[\w.]+ IS (NOT )?NULL|${constant}|` +
    String.raw`COALESCE\(.*, (${constant})\))\)*$`,
);

function isNullable(
  { columnID }: Column,
  table: Table | undefined,
  { text, plan, output }: { text: string; plan: Plan; output: string },
): boolean | undefined {
  if (table === undefined) return neverNull.test(output) ? false : undefined;
  const outer = outerIn(plan);
  const [alias = ''] = output.split('.');
  if (outer.has(alias)) return true;
  if (table.notNull.includes(columnID)) return outer.has(`of ${table.name}`) ? undefined : false;
  // A condition on the column may leave out its nulls.
  const name = table.columns[columnID - 1];
  return new RegExp(`\\b${name} *(is not null|[=<>]|in\\b)|[=<>] *(\\w+\\.)?${name}\\b`).test(text) ? undefined : true;
}

/** The aliases, and `of` the tables, that an outer join fills with nulls. */
function outerIn(node: Plan, isOuter = false): Set<string> {
  const filled = { Left: ['Inner'], Right: ['Outer'], Full: ['Inner', 'Outer'] }[node['Join Type'] ?? ''] ?? [];
  const isFilled = (side: string | undefined): boolean => side !== undefined && filled.includes(side);
  return new Set([
    ...(isOuter ? [node.Alias ?? '', `of ${node['Relation Name']}`] : []),
    ...(node.Plans ?? []).flatMap((each) => [...outerIn(each, isOuter || isFilled(each['Parent Relationship']))]),
  ]);
}

/** Asks for the columns by the extended protocol, which `pg` offers only together with running the statement. */
function columnsOf(client: pg.Client, text: string): Promise<Column[]> {
  return new Promise((resolve, reject) => {
    let columns: Column[] = [];
    client.query({
      submit: (connection: pg.Connection) => {
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription: ({ fields }: { fields: Column[] }) => {
        columns = fields;
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(columns),
    } as unknown as pg.Submittable);
  });
}
