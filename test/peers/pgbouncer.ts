import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../harness/service-process.ts';

export type Pooler = {
  /** The same database, through the pooler. */
  url: string;
  /** The most connections that the pooler opens to the server. */
  serverConnections: number;
  stop(): Promise<void>;
};

const serverConnections = 3;
const ignoredParameters = [
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'max_parallel_workers_per_gather',
  'jit',
  'work_mem',
  'cpu_index_tuple_cost',
];

/**
 * Starts PgBouncer in transaction mode before a database, configured as in docs/scale.md, on a free port of this
 * machine.
 * @param binary a PgBouncer of 1.21 or later
 */
export async function startPgBouncer(binary: string, databaseUrl: string, folder: string): Promise<Pooler> {
  const port = await freePort();
  const url = new URL(databaseUrl);
  const host = url.searchParams.get('host') ?? url.hostname;
  const database = url.pathname.slice(1);
  const path = join(folder, 'pgbouncer.ini');
  await writeFile(
    path,
    `[databases]
${database} = host=${host} port=${url.port} user=${url.username} password=${url.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
; Every client of this port counts as that user, which is fine for a test on this machine alone.
auth_type = any
pool_mode = transaction
max_prepared_statements = 200
default_pool_size = ${serverConnections}
ignore_startup_parameters = ${ignoredParameters.join(', ')}
`,
  );
  // Like PostgreSQL, PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ['unshare', '--user', '--map-user=1000', '--map-group=1000'] : [];
  const [file = binary, ...args] = [...user, binary, path];
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const exited = once(child, 'exit');
  const pooled = `postgresql://${url.username}@127.0.0.1:${port}/${database}?sslmode=disable`;
  while (!(await answers(pooled))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended before it was ready:\n${log}`);
    await sleep(20);
  }
  return {
    url: pooled,
    serverConnections,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
