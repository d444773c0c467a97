import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { cloneDatabase } from '../harness/harness.ts';
import { oneLine } from './plan-faults.ts';
import { type SourceStatement, sourceStatements } from './source-statements.ts';

const planted = `
  import type { Tx } from './ground/database/db.ts';
  import { sql } from './ground/database/sql.ts';
  export async function take(tx: Tx, id: string) {
    await tx.run(sql\`
      insert into ingest_leases as l (workspace_id, lease_until) values (\${id}, now())
      on conflict (workspace_id) do update set lease_until = now() where l.lease_until < now()\`);
  }`;

const id = '00000000-0000-0000-0000-000000000001';
const time = '2026-11-20T00:00:00Z';
/** A value of each type, so that Citus can choose a node. */
const values: Record<string, unknown> = {
  bool: true,
  bytea: Buffer.from('a'),
  float8: 1.5,
  int2: 1,
  int4: 1,
  int8: 1,
  interval: '1 s',
  json: '{}',
  jsonb: '{}',
  numeric: 1,
  pg_snapshot: '1:1:',
  regclass: 'tickets',
  text: 'a',
  timestamptz: time,
  tsquery: 'a',
  uuid: id,
  xid8: '1',
};

/** What Citus says of statements that it does not support: SQLSTATE 0A000. */
const notSupported = '0A000';

describe.skipIf(inject('nodeUrls').length === 1)('on a cluster (skipped without CITUS)', () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let client: pg.Client;
  let statements: SourceStatement[];
  const refused: string[] = [];
  let accepted = 0;

  beforeAll(async () => {
    database = await cloneDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query("set statement_timeout = '20s'");
    statements = sourceStatements(planted);
    const types = await client.query<{ oid: number; name: string }>('select oid, typname as name from pg_type');
    const names = new Map(types.rows.map(({ oid, name }) => [oid, name]));
    for (const { at, text } of statements) {
      const error = await faultOf(text, names);
      if (error === undefined) accepted++;
      else if (error.code === notSupported) refused.push(`${at}: ${error.message}: ${oneLine(text)}`);
    }
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  /** Runs the statement with made-up values, and takes it back. */
  async function faultOf(text: string, names: ReadonlyMap<number, string>): Promise<pg.DatabaseError | undefined> {
    await client.query('begin');
    try {
      const given = (await parameterTypes(text)).map((oid) => sampleOf(names.get(oid) ?? ''));
      await client.query(text, given);
      return undefined;
    } catch (error) {
      return error as pg.DatabaseError;
    } finally {
      await client.query('rollback');
    }
  }

  function sampleOf(type: string): unknown {
    return type.startsWith('_') ? [values[type.slice(1)]] : values[type];
  }

  async function parameterTypes(text: string): Promise<number[]> {
    await client.query(`prepare statement as ${text}`);
    const { rows } = await client.query<{ types: number[] }>(
      `select parameter_types::oid[]::int8[]::int4[] as types from pg_prepared_statements where name = 'statement'`,
    );
    await client.query('deallocate statement');
    return rows[0]?.types ?? [];
  }

  test('Citus takes every statement of the source, and refuses a planted one', () => {
    expect(accepted).toBeGreaterThan(700);
    const isPlanted = (line: string) => line.startsWith('src/planted.ts');
    expect(refused.filter((line) => !isPlanted(line))).toEqual([]);
    expect(refused.filter(isPlanted)).toHaveLength(1);
  });
});
