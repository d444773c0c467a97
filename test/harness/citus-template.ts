import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { distribute } from '../../src/ground/database/distribute.ts';
import { migrate } from '../../src/ground/database/migrate.ts';
import { superuser } from '../../src/ground/embedded-postgres/postgres-folder.ts';
import type { Logger } from '../../src/ground/platform/log.ts';
import { dropDatabase } from './drop-database.ts';

/** The nodes of the cluster that `CITUS` names (`scripts/citus-cluster.sh start`), the coordinator first. */
export async function nodesOf(clusterUrl: string): Promise<string[]> {
  const { rows } = await asked<{ host: string; port: number }>(
    clusterUrl,
    `select nodename as host, nodeport as port from pg_dist_node where noderole = 'primary' order by groupid`,
  );
  return rows.map(({ host, port }) => {
    const url = new URL(clusterUrl);
    url.host = `${host}:${port}`;
    return url.href;
  });
}

/** Makes a migrated and distributed database. No session uses it, so that `create database` can copy each part. */
export async function makeDistributedTemplate(nodes: readonly string[], name: string, log: Logger): Promise<void> {
  const [coordinator = '', ...workers] = nodes;
  const owner = new URL(coordinator).username;
  for (const node of nodes) {
    const client = new pg.Client({ connectionString: asSuperuser(node) });
    await client.connect();
    await client.query(`alter database ${name} allow_connections true`).catch(() => {});
    await dropDatabase(client, name);
    await client.query(`create database ${name} owner ${owner}`);
    await client.end();
    await asked(asSuperuser(node, name), 'create extension citus');
  }
  const { hostname, port } = new URL(coordinator);
  await asked(asSuperuser(coordinator, name), `select citus_set_coordinator_host('${hostname}', ${port})`);
  for (const worker of workers) {
    const { hostname: host, port: at } = new URL(worker);
    await asked(asSuperuser(coordinator, name), `select citus_add_node('${host}', ${at})`);
  }
  await asked(
    asSuperuser(coordinator, name),
    `select citus_set_node_property('${hostname}', ${port}, 'shouldhaveshards', false)`,
  );
  await migrate(inDatabase(coordinator, name), log);
  const client = new pg.Client({ connectionString: inDatabase(coordinator, name) });
  await client.connect();
  await distribute(client, () => {});
  await client.end();
  for (const node of nodes) await lock(node, name);
  await keepTwoPhases(coordinator, true);
}

/** Lets Citus keep its notes of transactions in two phases, which it deletes each minute, for `one-node.ts`. */
export async function keepTwoPhases(coordinator: string, isKept: boolean): Promise<void> {
  const setting = 'citus.recover_2pc_interval';
  await asked(asSuperuser(coordinator), `alter system ${isKept ? `set ${setting} = '1d'` : `reset ${setting}`}`);
  await asked(asSuperuser(coordinator), 'select pg_reload_conf()');
}

/** Ends Citus's own sessions too, which come back otherwise. */
async function lock(node: string, name: string): Promise<void> {
  await asked(asSuperuser(node), `alter database ${name} allow_connections false`);
  for (;;) {
    const { rows } = await asked(
      asSuperuser(node),
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    if (rows.length === 0) return;
    await sleep(100);
  }
}

function inDatabase(node: string, database: string): string {
  const url = new URL(node);
  url.pathname = `/${database}`;
  return url.href;
}

export function asSuperuser(node: string, database = superuser): string {
  const url = new URL(inDatabase(node, database));
  url.username = superuser;
  return url.href;
}

async function asked<Row extends pg.QueryResultRow>(url: string, text: string): Promise<pg.QueryResult<Row>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query<Row>(text);
  } finally {
    await client.end();
  }
}
