import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { syncFolder } from '../lib/durable-file.ts';
import { StartError } from '../lib/start-error.ts';
import { chooseServerUser, type PostgresBinaries, postgresCommand } from './postgres-binaries.ts';
import { explainFault } from './postgres-faults.ts';

/** The database's paths. `postgres/` is created under another name and then renamed, so it is never half finished. */
export type PostgresFolder = { dataDir: string; root: string; data: string; password: string; log: string };

/** The parts of `postmaster.pid` that are used here. */
type Postmaster = { pid: number; port: number; isOnSocket: boolean; status: string };

const majorVersion = '18';
const initMillisecondsMax = 120_000;
/** Only the beginning is kept: a failing server names the cause first and then repeats the consequences. */
const outputLengthMax = 64 * 1024;
const logBytesMax = 5 * 1024 * 1024;
export const superuser = 'postgres';

export function postgresFolder(dataDir: string): PostgresFolder {
  const root = join(dataDir, 'postgres');
  return {
    dataDir,
    root,
    data: join(root, 'data'),
    password: join(root, 'password'),
    log: join(dataDir, 'postgres.log'),
  };
}

/**
 * Checks that the folder has a database of the right version; creates one at the first start.
 * The caller holds the lock of the data folder. Removes the leftovers of a killed initdb.
 */
export async function prepareFolder(
  folder: PostgresFolder,
  binaries: PostgresBinaries,
  isFast: boolean,
): Promise<'made' | 'found'> {
  for (const name of await readdir(folder.dataDir)) {
    if (name.startsWith('postgres.init-')) {
      await rm(join(folder.dataDir, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    }
  }
  const found = await readFile(join(folder.data, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    if (error.code === 'ENOTDIR')
      throw new StartError(
        `${folder.root} is in the way: the database belongs there, but it is not a folder. ` +
          'Move it away, or set DATA_DIR to another folder.',
      );
    throw error;
  });
  if (found === undefined) {
    await refuseLost(folder);
    await makeDatabase(folder, binaries, isFast);
    return 'made';
  }
  if (found.trim() !== majorVersion) {
    throw new StartError(
      `The database in ${folder.data} is of PostgreSQL ${found.trim()}, but this Kontor brings ${majorVersion}: ` +
        'back it up with the release that made it and restore that (docs/operations.md), or set another DATA_DIR.',
    );
  }
  return 'found';
}

/**
 * Refuses to create an empty database beside the files of a lost database: all accounts and tickets would seem gone.
 */
async function refuseLost({ dataDir, data, log }: PostgresFolder): Promise<void> {
  const blobs = join(dataDir, 'blobs');
  const kept = await readdir(blobs).catch(() => []);
  const hasRun = await stat(log).then(
    () => true,
    () => false,
  );
  const traces = [...(hasRun ? [log] : []), ...(kept.some((name) => !name.startsWith('.')) ? [blobs] : [])];
  if (traces.length === 0) return;
  throw new StartError(
    `There is no database in ${data}, but there was one: mount its volume or restore a backup. ` +
      `To begin with an empty one, move ${traces.join(' and ')} away.`,
  );
}

async function makeDatabase(folder: PostgresFolder, binaries: PostgresBinaries, isFast: boolean): Promise<void> {
  const draft = {
    ...postgresFolder(folder.dataDir),
    root: join(folder.dataDir, `postgres.init-${randomBytes(4).toString('hex')}`),
  };
  await mkdir(draft.root, { mode: 0o700 });
  try {
    await writeFile(join(draft.root, 'password'), randomBytes(32).toString('base64url'), { mode: 0o600, flush: true });
    await runInitdb(folder, draft.root, binaries, isFast);
    await rename(draft.root, folder.root).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOTEMPTY' && cause.code !== 'EBUSY') throw cause;
      throw new StartError(
        `${folder.root} contains something other than a database of Kontor: ` +
          'move it away, or set DATA_DIR to another folder.',
        { cause },
      );
    });
    await syncFolder(folder.dataDir);
  } catch (error) {
    await rm(draft.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    throw error;
  }
}

async function runInitdb(
  folder: PostgresFolder,
  root: string,
  binaries: PostgresBinaries,
  isFast: boolean,
): Promise<void> {
  const user = await chooseServerUser(root, binaries);
  const { file, args, options } = postgresCommand(user, binaries.initdb, [
    `--pgdata=${join(root, 'data')}`,
    `--username=${superuser}`,
    `--pwfile=${join(root, 'password')}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--text-search-config=simple',
    // A password of 256 random bits needs no stretching. This saves 4095 rounds of hashing per connection and side.
    '--set=scram_iterations=1',
    ...(isFast ? ['--no-sync'] : []),
  ]);
  const child = spawn(file, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    timeout: initMillisecondsMax,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < outputLengthMax) output += text;
    });
  }
  const ending = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(String(signal ?? code)));
  });
  if (ending !== '0') throw explainFault(new Error(`initdb ended with ${ending}`), folder.dataDir, output);
}

/** Opens the server's log for appending. A log above 5 MB is renamed first, which replaces the previous renamed log. */
export async function openServerLog(
  folder: PostgresFolder,
): Promise<{ fd: number; sizeBytes: number; close(): Promise<void> }> {
  const old = await stat(folder.log).catch(() => undefined);
  if (old !== undefined && old.size > logBytesMax) await rename(folder.log, `${folder.log}.1`);
  const handle = await open(folder.log, 'a', 0o600);
  return { fd: handle.fd, sizeBytes: (await handle.stat()).size, close: () => handle.close() };
}

/** Reads the server's log from an offset, at most 64 KB. */
export async function readServerLog(folder: PostgresFolder, offsetBytes: number): Promise<string> {
  const text = await readFile(folder.log).catch(() => Buffer.alloc(0));
  return text.subarray(offsetBytes, offsetBytes + outputLengthMax).toString('utf8');
}

/** Kubernetes' fsGroup opens every folder of a volume to the group, and PostgreSQL refuses such folders. */
export async function closeToOthers(folder: PostgresFolder): Promise<void> {
  await chmod(folder.data, 0o700).catch(() => undefined);
}

/** Reads `postmaster.pid`, which a killed server leaves behind. PostgreSQL's `utils/pidfile.h` defines its lines. */
export async function readPostmaster(folder: PostgresFolder): Promise<Postmaster | undefined> {
  const text = await readFile(join(folder.data, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port, socketFolder, , , status = ''] = text.split('\n');
  if (!Number(pid)) return undefined;
  return { pid: Number(pid), port: Number(port), isOnSocket: Boolean(socketFolder), status: status.trim() };
}

/**
 * Whether this process is a PostgreSQL server on this folder. An unrelated process may have got the id later: after a
 * reboot, or in a container, which reuses the same few ids at each start.
 */
export async function isPostmaster(pid: number, folder: PostgresFolder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  if (process.platform !== 'linux') return true;
  // An unreaped zombie has an empty command line.
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (basename(commandLine.split('\0')[0] ?? '') !== 'postgres') return false;
  try {
    await readlink(`/proc/${pid}/cwd`);
  } catch {
    return commandLine.split('\0').includes(folder.data);
  }
  // The process may end at any moment.
  const [theirs, ours] = await Promise.all([stat(`/proc/${pid}/cwd`).catch(() => undefined), stat(folder.data)]);
  return theirs?.dev === ours.dev && theirs.ino === ours.ino;
}
