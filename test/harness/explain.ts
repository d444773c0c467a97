import pg from 'pg';
import { inject } from 'vitest';
import type { App } from '../../src/app.ts';
import { superuser } from '../../src/ground/embedded-postgres/postgres-folder.ts';
import { databaseUrl } from './global-setup.ts';
import type { House } from './harness.ts';

/** A node of `explain (analyze, buffers, format json)`. */
export type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
};

/** A statement as the service sent it, and its plan. */
export type Ran = { text: string; plan: PlanNode; by?: string };

/** Runs statements as a superuser in the house's own database. */
export async function asSuperuser<Result>(house: House, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const url = new URL(databaseUrl(inject('serverUrl'), new URL(house.databaseUrl).pathname.slice(1)));
  url.username = superuser;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Makes later sessions of the database report the plan of each statement (auto_explain). So the plans are those of the
 * routes' real statements, with their values, prepared as the routes prepare them.
 */
export async function tellPlans(house: House, other: Record<string, string> = {}): Promise<void> {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_buffers': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
    // No values: they are long, and no test reads them.
    'auto_explain.log_parameter_max_length': '0',
    ...other,
  };
  await asSuperuser(house, async (client) => {
    const database = client.escapeIdentifier(new URL(house.databaseUrl).pathname.slice(1));
    for (const [name, value] of Object.entries(settings))
      await client.query(`alter database ${database} set ${name} = ${client.escapeLiteral(value)}`);
  });
}

/**
 * Gathers the reported plans of the app's connections. Call this before the app has any connection; each connection
 * runs `set` first.
 */
export function gatherPlans({ db }: App, set: string): Ran[] {
  const ran: Ran[] = [];
  db.pool.on('connect', (client) => {
    void client.query(set);
    client.on('notice', ({ message = '' }) => {
      const json = /^duration: .* plan:\n(.*)$/s.exec(message)?.[1];
      if (json === undefined) return;
      const { 'Query Text': text, Plan: plan } = JSON.parse(json);
      ran.push({ text, plan });
    });
  });
  return ran;
}
