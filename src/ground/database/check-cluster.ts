import type pg from 'pg';
import { StartError } from '../lib/start-error.ts';
import { copiedTables, workspaceTables } from './table-places.ts';

const citusMin = 13;
/** `pg_logical_emit_message` flushes from this version on (`flush_wal_of_cluster`). */
const postgresqlMin = 17;

/** Throws a `StartError` with all that keeps a cluster from taking Kontor's tables. */
export async function checkCluster(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: string; postgresql: number }>(`
    select extversion as version, current_setting('server_version_num')::int / 10000 as postgresql
    from pg_extension where extname = 'citus'`);
  const { version, postgresql = 0 } = rows[0] ?? {};
  if (version === undefined)
    throw new StartError('The database has no Citus: run `create extension citus` there, on each node.');
  const faults = [
    ...(Number.parseInt(version, 10) < citusMin ? [`It has Citus ${version}, and Kontor needs ${citusMin}.`] : []),
    ...(postgresql < postgresqlMin
      ? [`The coordinator runs PostgreSQL ${postgresql}, and Kontor needs ${postgresqlMin}.`]
      : []),
    ...(await faultsOfCoordinator(client)),
    ...(await faultsOfNodes(client)),
  ];
  if (faults.length > 0) throw new StartError(`The cluster is not ready:\n${faults.map((f) => `- ${f}`).join('\n')}`);
}

async function faultsOfCoordinator(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query(
    `select
      (select groupid from pg_dist_local_group) <> 0 as "isWorker",
      exists (select from pg_dist_node where groupid = 0) as "knowsItself",
      pg_has_role(current_user, (select datdba from pg_database where datname = current_database()), 'member')
        as "isOwner",
      has_schema_privilege('public', 'create') as "mayCreate",
      (select count(*)::int from pg_stat_activity
        where datname = current_database() and application_name = 'kontor') as services,
      exists (
        select from unnest($1::text[]) name
        where not exists (select from pg_dist_partition where logicalrelid = to_regclass(name))
      ) as "isTableLeft"`,
    [[...copiedTables, ...workspaceTables]],
  );
  const { isWorker, knowsItself, isOwner, mayCreate, services, isTableLeft } = rows[0];
  return [
    ...(isWorker ? ['DATABASE_URL names a worker, and must name the coordinator.'] : []),
    ...(knowsItself ? [] : ['The coordinator does not know itself: run `select citus_set_coordinator_host(…)`.']),
    ...(isOwner && mayCreate ? [] : ['The role of DATABASE_URL must own the database.']),
    ...(services > 0 && isTableLeft ? [`The service has ${services} connections: stop it first.`] : []),
  ];
}

type NodeAnswer = { name: string; success: boolean; result: string };

/** Asks each worker as the service's own role, because moves of shards and statements connect in that role too. */
async function faultsOfNodes(client: pg.ClientBase): Promise<string[]> {
  const { rows: nodes } = await client.query(
    `select from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards`,
  );
  if (nodes.length === 0) return ['No node may have shards: add a worker by `select citus_add_node(…)`.'];
  const { rows } = await client.query<NodeAnswer>(`
    select nodename || ':' || nodeport as name, success, result
    from run_command_on_all_nodes($$
      select current_setting('wal_level') || ' ' || (current_setting('max_prepared_transactions')::int > 0)
        || ' ' || has_schema_privilege('public', 'create')
    $$) join pg_dist_node using (nodeid)`);
  return rows.flatMap(({ name, success, result }) => {
    if (!success) return [`${name} does not answer: ${result}`];
    const [walLevel, hasPrepared, mayCreate] = result.split(' ');
    return [
      ...(walLevel === 'logical' ? [] : [`${name} has wal_level = ${walLevel}, and moves of shards need logical.`]),
      ...(hasPrepared === 'true' ? [] : [`${name} has max_prepared_transactions = 0.`]),
      ...(mayCreate === 'true' ? [] : [`${name} does not let the role create tables: make it the database's owner.`]),
    ];
  });
}
