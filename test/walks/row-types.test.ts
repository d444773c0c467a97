import pg from 'pg';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase } from '../harness/harness.ts';
import { skipOnCitus } from '../harness/skip-on-citus.ts';
import { type Declared, declaredRows } from './declared-rows.ts';
import { type Describe, type Described, openDescribe } from './described-rows.ts';
import { oneLine } from './plan-faults.ts';

const planted = `
  import type { Queryable } from './ground/database/db.ts';
  import { sql } from './ground/database/sql.ts';
  export async function read(db: Queryable) {
    await db.one<{ id: string; subject: number; closedAt: string; version: number | null; name: string }>(sql\`
      select t.id, t.subject, t.closed_at as "closedAt", t.version, t.tags from tickets t\`);
    await db.rows<{ name: string }>(sql\`select nothing\`);
  }`;

/** Differences that are right, and why. */
const exceptions = [
  ['src/access/accounts/link-token.ts: userId may be null', 'Every token of these kinds has a user.'],
  ['src/access/accounts/link-token.ts: workspaceId may be null', 'Every token of an invitation has it.'],
  ['src/access/accounts/link-token.ts: inviteId may be null', 'Every token of an invitation has it.'],
  ['src/events/notifications/notify.ts: syntax error at or near ")"', 'Its parts come from the rules of each event.'],
  ['src/helpdesk/erasures/scrub-table.ts: permission denied for table audit_log', 'Only drafts are locked.'],
] as const;

/** Enough for a busy machine. */
const walkTimeoutMs = 1_200_000;

const described = 'Citus does not say of which column a value is.';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let client: pg.Client;
let checker: ts.TypeChecker;
let declared: Declared[];
const faults: string[] = [];

beforeAll(async () => {
  database = await cloneDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  ({ declared, checker } = declaredRows(planted));
  const describe = await openDescribe(client);
  for (const each of declared) faults.push(...(await faultsOf(each, describe)));
}, walkTimeoutMs);
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

/** A sentence for each difference between the columns of a statement and the declared type of its rows. */
async function faultsOf({ path, text, row }: Declared, describe: Describe): Promise<string[]> {
  // Nothing is declared where only the existence of a row counts.
  if (row.flags & ts.TypeFlags.Unknown) return [];
  try {
    const described = await describe(text);
    return differences(row, described).map((difference) => `${path}: ${difference}`);
  } catch (error) {
    return [`${path}: ${(error as Error).message}: ${oneLine(text)}`];
  }
}

function differences(row: ts.Type, described: readonly Described[]): string[] {
  const kinds = row.isUnion() ? row.types : [row];
  const properties = kinds.flatMap((kind) => checker.getPropertiesOfType(kind));
  const selected = new Set(described.map(({ name }) => name));
  const missing = properties.filter(({ name, flags }) => !selected.has(name) && !(flags & ts.SymbolFlags.Optional));
  return [
    ...missing.map(({ name }) => `${name} is declared, but not selected`),
    ...described.flatMap((column) => {
      const types = kinds.flatMap((kind) => {
        const property = kind.getProperty(column.name);
        return (property ? checker.getTypeOfSymbol(property) : kind.getStringIndexType()) ?? [];
      });
      if (types.length === 0) return [`${column.name} is selected, but not declared`];
      return types.flatMap((type) => differenceOf(type, column, kinds.length > 1));
    }),
  ];
}

function differenceOf(type: ts.Type, { name, sample, isNullable }: Described, isOneOfKinds: boolean): string[] {
  const present = checker.getNonNullableType(type);
  if (!(present.flags & ts.TypeFlags.Never) && !fits(present, sample))
    return [`${name} is declared as ${checker.typeToString(type)}, but read as ${JSON.stringify(sample)}`];
  const takesNull = checker.isTypeAssignableTo(checker.getNullType(), type);
  if (isOneOfKinds || isNullable === undefined || takesNull === isNullable) return [];
  return [isNullable ? `${name} may be null` : `${name} is never null`];
}

function fits(type: ts.Type, sample: unknown): boolean {
  if (Array.isArray(sample)) {
    const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    return element !== undefined && fits(element, sample[0]);
  }
  if (Buffer.isBuffer(sample)) return checker.typeToString(type).startsWith('Buffer');
  if (typeof sample === 'object') return true;
  const kinds = { string: checker.getStringType(), number: checker.getNumberType(), boolean: checker.getBooleanType() };
  const kind = kinds[typeof sample as keyof typeof kinds];
  return kind !== undefined && checker.isTypeAssignableTo(type, kind);
}

test('every row type declares the columns of its statement, their types, and which may be null', (context) => {
  skipOnCitus(context, described);
  const found = faults.filter((fault) => !fault.startsWith('src/planted.ts'));
  const isExcepted = (fault: string): boolean => exceptions.some(([beginning]) => fault.startsWith(beginning));
  expect(found.filter((fault) => !isExcepted(fault))).toEqual([]);
  expect(exceptions.filter(([beginning]) => !found.some((fault) => fault.startsWith(beginning)))).toEqual([]);
});

test('each difference is named', (context) => {
  skipOnCitus(context, described);
  expect(faults.filter((fault) => fault.startsWith('src/planted.ts'))).toEqual([
    'src/planted.ts: name is declared, but not selected',
    'src/planted.ts: subject is declared as number, but read as "a"',
    'src/planted.ts: closedAt may be null',
    'src/planted.ts: version is never null',
    'src/planted.ts: tags is selected, but not declared',
    'src/planted.ts: column "nothing" does not exist: select nothing',
  ]);
});
