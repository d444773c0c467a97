import type pg from 'pg';
import type { TablePlace } from '../catalog/tables/table.ts';
import { StartError } from '../lib/start-error.ts';
import { isDistributionCut, keptKeys } from './kept-keys.ts';
import { coordinatorTables, copiedTables, workspaceTables } from './table-places.ts';

type ForeignKey = { table: string; name: string; definition: string; target: string };
export type Distributed = { tables: number; rows: number };

/**
 * Distributes schema and data. Each step commits by itself and is left out if it was done before, so a run that was cut
 * can be repeated. So can a whole run: it then places the tables that a later release has added.
 */
export async function distribute(client: pg.ClientBase, onTable: (table: string) => void): Promise<Distributed> {
  await client.query('set statement_timeout = 0');
  await leavePendingList(client);
  await takeForeignKeys(client);
  const done = { tables: 0, rows: 0 };
  for (const [tables, place] of [
    [copiedTables, 'copied'],
    [workspaceTables, 'workspace'],
  ] as const)
    for (const table of tables) {
      const rows = await placeTable(client, table, place);
      await truncateLocalCopy(client, table);
      if (rows === undefined) continue;
      done.tables++;
      done.rows += rows;
      onTable(table);
    }
  await restoreForeignKeys(client);
  await nameLocalTables(client);
  await protectAuditLog(client);
  await setForRole(client);
  return done;
}

/**
 * Batches of words empty the pending list of their index themselves. They would not reach the lists of other nodes, so
 * each word goes into the index at once there.
 */
async function leavePendingList(client: pg.ClientBase): Promise<void> {
  if ((await placesNow(client)).has('message_words')) return;
  await client.query('alter index message_words_search set (fastupdate = off)');
}

/** Foreign keys are taken away first, because a key needs both of its ends in place. */
async function takeForeignKeys(client: pg.ClientBase): Promise<void> {
  const placed = await placesNow(client);
  if ([...copiedTables, ...workspaceTables].every((table) => placed.has(table))) return;
  await inTransaction(client, async () => {
    await client.query(
      `create table if not exists ${keptKeys} (of_table text, name text, definition text, target text,
        primary key (of_table, name))`,
    );
    for (const { table, name, definition, target } of await foreignKeysOf(client)) {
      await client.query(`insert into ${keptKeys} values ($1, $2, $3, $4) on conflict do nothing`, [
        table,
        name,
        definition,
        target,
      ]);
      await client.query(`alter table ${table} drop constraint ${client.escapeIdentifier(name)}`);
    }
  });
}

async function foreignKeysOf(client: pg.ClientBase): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition,
      confrelid::regclass::text as target
    from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0
    order by 1, 2`);
  return rows;
}

/** @returns the number of rows, or undefined if the table was in its place already */
async function placeTable(client: pg.ClientBase, table: string, place: TablePlace): Promise<number | undefined> {
  const placed = (await placesNow(client)).get(table);
  if (placed === place) return undefined;
  if (placed !== undefined) throw new StartError(`Citus keeps ${table} as "${placed}", and Kontor needs "${place}".`);
  return inTransaction(client, async () => {
    const before = await countRows(client, table);
    if (place === 'copied') await client.query('select create_reference_table($1)', [table]);
    else {
      const colocatedWith = table === workspaceTables[0] ? 'none' : workspaceTables[0];
      await client.query(`select create_distributed_table($1, 'workspace_id', colocate_with => $2)`, [
        table,
        colocatedWith,
      ]);
    }
    const after = await countRows(client, table);
    if (after !== before) throw new StartError(`${table} had ${before} rows, and ${after} after it was distributed.`);
    return after;
  });
}

/** Frees the disk of the coordinator: Citus copies the rows to the nodes, and no statement sees the old ones again. */
async function truncateLocalCopy(client: pg.ClientBase, table: string): Promise<void> {
  const { rows } = await client.query(
    `select pg_relation_size($1::regclass) > 0 as "isLeft", has_table_privilege($1, 'truncate') as "mayTruncate"`,
    [table],
  );
  const { isLeft, mayTruncate } = rows[0];
  if (!isLeft) return;
  await inTransaction(client, async () => {
    // Not even the service may empty the audit log.
    if (!mayTruncate) await client.query(`grant truncate on ${table} to current_user`);
    await client.query('select truncate_local_data_after_distributing_table($1)', [table]);
    if (!mayTruncate) await client.query(`revoke truncate on ${table} from current_user`);
  });
}

async function countRows(client: pg.ClientBase, table: string): Promise<number> {
  const { rows } = await client.query(`select count(*)::int8 as count from ${table}`);
  return Number(rows[0].count);
}

async function placesNow(client: pg.ClientBase): Promise<Map<string, TablePlace>> {
  const { rows } = await client.query<{ table: string; method: string; model: string }>(`
    select logicalrelid::text as table, partmethod as method, repmodel as model from pg_dist_partition`);
  const placeOf = ({ method, model }: (typeof rows)[number]): TablePlace => {
    if (method !== 'n') return 'workspace';
    return model === 't' ? 'copied' : 'coordinator';
  };
  return new Map(rows.map((row) => [row.table, placeOf(row)]));
}

/** Puts back the keys that Citus allows. A table of the coordinator cannot refer to a table on other nodes. */
async function restoreForeignKeys(client: pg.ClientBase): Promise<void> {
  if (!(await isDistributionCut(client))) return;
  const { rows } = await client.query<ForeignKey>(
    `select of_table as table, name, definition, target from ${keptKeys} order by 1, 2`,
  );
  const existing = new Set((await foreignKeysOf(client)).map(({ table, name }) => `${table} ${name}`));
  for (const { table, name, definition, target } of rows) {
    if (existing.has(`${table} ${name}`)) continue;
    if (coordinatorTables.includes(table) && !coordinatorTables.includes(target)) continue;
    await client.query(`alter table ${table} add constraint ${client.escapeIdentifier(name)} ${definition}`);
  }
  await client.query(`drop table ${keptKeys}`);
}

/**
 * Tables of the coordinator that Citus knows. A transaction that writes such a table and rows of a workspace commits in
 * two phases, so a crash between the two commits cannot part them. `commit_marks` stands for the job queue.
 */
const localTables = ['commit_marks', 'mailbox_routes'];

async function nameLocalTables(client: pg.ClientBase): Promise<void> {
  const placed = await placesNow(client);
  for (const table of localTables)
    if (!placed.has(table)) await client.query('select citus_add_local_table_to_metadata($1)', [table]);
}

/** Citus gives the owner of a table all rights on its shards. */
async function protectAuditLog(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ result: string }>(
    `select result from run_command_on_shards('audit_log',
       'revoke update, delete, truncate on %s from public, current_user') where not success`,
  );
  if (rows[0] !== undefined) throw new Error(`the audit log of a node could not be protected: ${rows[0].result}`);
}

/**
 * The service sets these for its own connections (`open-db.ts`). They do not travel to other nodes, so there they
 * belong to the role.
 * multi_shard_modify_mode: a sign-in reads all nodes, and then writes a table of which each node has a copy.
 */
const roleSettings = {
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  work_mem: '32MB',
  cpu_index_tuple_cost: '0.02',
  'citus.multi_shard_modify_mode': 'sequential',
};

async function setForRole(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query('select current_user as role');
  const role = client.escapeIdentifier(rows[0].role);
  // Citus repeats the statement on each node.
  for (const [name, value] of Object.entries(roleSettings))
    await client.query(`alter role ${role} set ${name} = ${client.escapeLiteral(value)}`);
}

async function inTransaction<Result>(client: pg.ClientBase, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
