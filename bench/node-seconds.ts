import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

const ticksPerSecond = 100;

/**
 * Reads the processor time that each database node has used since its start, in seconds. The nodes run on this machine.
 * @returns an empty list on systems other than Linux, which have no such files
 */
export async function readNodeSeconds(nodeUrls: readonly string[]): Promise<number[]> {
  if (!existsSync('/proc/self/stat')) return [];
  const servers = await Promise.all(nodeUrls.map(serverOf));
  const processes = await readProcesses();
  return servers.map((server) => {
    let ticks = 0;
    for (const { id, parentId, ownTicks, reapedTicks } of processes) {
      if (id === server || parentId === server) ticks += ownTicks;
      // The server has reaped its ended backends.
      if (id === server) ticks += reapedTicks;
    }
    return ticks / ticksPerSecond;
  });
}

/** The process that has started all backends of the node. */
async function serverOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id');
  const backend = await readProcess(rows[0]?.id ?? 0);
  await client.end();
  if (backend === undefined) throw new Error('the database runs on another machine: its processor time is unknown');
  return backend.parentId;
}

type Process = { id: number; parentId: number; ownTicks: number; reapedTicks: number };

async function readProcesses(): Promise<Process[]> {
  const ids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const found = await Promise.all(ids.map(readProcess));
  return found.filter((process) => process !== undefined);
}

/** @returns undefined if the process has ended */
async function readProcess(id: number): Promise<Process | undefined> {
  const text = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => undefined);
  // The command's name, in brackets, may hold spaces and brackets itself: proc_pid_stat(5).
  const fields = text
    ?.slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  if (fields === undefined) return undefined;
  const [, parentId = 0] = fields;
  const [user = 0, system = 0, reapedUser = 0, reapedSystem = 0] = fields.slice(11, 15);
  return { id, parentId, ownTicks: user + system, reapedTicks: reapedUser + reapedSystem };
}
