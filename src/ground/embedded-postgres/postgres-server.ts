import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../lib/start-error.ts';
import { chooseServerUser, type PostgresBinaries, postgresCommand } from './postgres-binaries.ts';
import { explainFault } from './postgres-faults.ts';
import {
  closeToOthers,
  isPostmaster,
  openServerLog,
  type PostgresFolder,
  readPostmaster,
  readServerLog,
} from './postgres-folder.ts';
import { bufferMbLeast, bufferMbOf } from './postgres-memory.ts';

/** A postmaster on the data folder, started here or found running. */
export type RunningServer = { pid: number; host: string; port: number; isAlive(): Promise<boolean> };

export type ServerSetup = { folder: PostgresFolder; binaries: PostgresBinaries; isFast: boolean };

/** Only part of the socket's file name, `.s.PGSQL.<port>`, which the protocol prescribes. The port itself is closed. */
const socketPort = 5432;
/** `sun_path` has 108 bytes on Linux and 104 on macOS, including the terminating zero. */
const socketPathBytesMax = process.platform === 'darwin' ? 103 : 107;
const launchesMax = 20;
/** Recovery replays about `max_wal_size` at most. Even a minute would mean a very slow disk. */
const readyMillisecondsMax = 120_000;
const pollMilliseconds = 10;

/**
 * The settings of the command line, which override files of the folder, also those of an earlier release.
 * All other settings are PostgreSQL's defaults.
 */
function serverSettings(isFast: boolean): string[] {
  return [
    'max_connections=100',
    'wal_compression=on',
    // Bounds recovery after a kill to about 360 MB and 1.4 s of processor time (by default 600 MB and 2.8 s).
    'max_wal_size=512MB',
    'checkpoint_warning=0',
    'jit=off',
    'max_parallel_workers_per_gather=0',
    // Data is in memory or on an SSD. With the default of 4, a query for the newest thousand matches of a common word
    // read all matches.
    'random_page_cost=1.1',
    'timezone=UTC',
    'log_timezone=UTC',
    // Statements contain what people wrote, so keep them out of the log.
    'log_min_messages=warning',
    'log_min_error_statement=panic',
    'log_checkpoints=off',
    'unix_socket_permissions=0700',
    ...(isFast
      ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0']
      : ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on']),
  ];
}

/**
 * Names a server by its programs and settings, so that a server with other programs or settings is recognised and not
 * adopted.
 */
export function serverName({ binaries, isFast }: ServerSetup): string {
  const identity = [binaries.postgres, ...serverSettings(isFast)].join('\n');
  return `kontor-${createHash('sha256').update(identity).digest('hex').slice(0, 12)}`;
}

/**
 * Finds a server that runs on the folder, for example after its parent was killed, and waits until it is ready.
 * @returns `elsewhere` when it answers but its process is invisible (in another container that shares the folder)
 * Throws a `StartError` when the server lives but does not become ready.
 */
export async function findServer(
  folder: PostgresFolder,
  answers: (server: RunningServer) => Promise<boolean>,
): Promise<RunningServer | 'elsewhere' | undefined> {
  const postmaster = await readPostmaster(folder);
  if (postmaster === undefined) {
    // The file is empty after a power cut or on a full disk, and a server would not start on it.
    await rm(join(folder.data, 'postmaster.pid'), { force: true });
    return undefined;
  }
  const { pid, port, isOnSocket } = postmaster;
  const isAlive = (): Promise<boolean> => isPostmaster(pid, folder);
  const server = { pid, port, host: isOnSocket ? folder.root : '127.0.0.1', isAlive };
  // Does not ask a TCP port: by now another program may listen on it.
  if (!(await isAlive())) return isOnSocket && (await answers(server)) ? 'elsewhere' : undefined;
  if ((await untilReady(folder, pid, isAlive)) === 'ended') return undefined;
  const ready = await readPostmaster(folder);
  return ready === undefined
    ? undefined
    : { ...server, port: ready.port, host: ready.isOnSocket ? folder.root : '127.0.0.1' };
}

/** Starts a server on the folder and waits until it is ready. The caller holds the folder's lock. */
export async function launchServer(setup: ServerSetup): Promise<RunningServer> {
  const { folder } = setup;
  await closeToOthers(folder);
  let bufferMb = setup.isFast ? bufferMbLeast : bufferMbOf(totalmem(), process.constrainedMemory());
  let isOnSocket = process.platform !== 'win32' && Buffer.byteLength(socketPath(folder)) <= socketPathBytesMax;
  for (let launch = 1; ; launch++) {
    const outcome = await launchOnce(setup, { isOnSocket, bufferMb });
    if (typeof outcome === 'object') return outcome;
    const fault = explainFault(new Error('PostgreSQL ended at once'), folder.dataDir, outcome);
    if (launch === launchesMax || /No space left|Check free disk space/.test(outcome)) throw fault;
    // Without overcommit of memory a quarter may be too much, however little of it would be used.
    if (bufferMb > bufferMbLeast && /could not map anonymous shared memory/.test(outcome)) bufferMb = bufferMbLeast;
    // Some network and desktop file systems do not support sockets.
    else if (isOnSocket && /Unix-domain socket|Unix address/.test(outcome)) isOnSocket = false;
    // The backends of a killed postmaster end shortly after it.
    else if (/shared memory block .{1,500} still in use/.test(outcome)) await sleep(250);
    else if (isOnSocket || !/could not bind|could not create any TCP/.test(outcome)) throw fault;
  }
}

/** @returns the server, or its log if it ended */
async function launchOnce(
  { folder, binaries, isFast }: ServerSetup,
  { isOnSocket, bufferMb }: { isOnSocket: boolean; bufferMb: number },
): Promise<RunningServer | string> {
  const name = serverName({ folder, binaries, isFast });
  const port = isOnSocket ? socketPort : await freePort();
  // Quoted, because an unquoted comma separates folders.
  const listen = isOnSocket
    ? ['listen_addresses=', `unix_socket_directories="${folder.root.replaceAll('"', '""')}"`]
    : ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
  // The name does not include the buffers: a server with another size, from a larger container, works as well.
  const settings = [
    `cluster_name=${name}`,
    `port=${port}`,
    ...listen,
    `shared_buffers=${bufferMb}MB`,
    ...serverSettings(isFast),
  ];
  // If a pid file exists, it names an unrelated process, as `findServer` found no server. PostgreSQL ignores one
  // process id, meant for the parent of pg_ctl. So the file can stay, and with it the check for surviving backends.
  const stale = await readPostmaster(folder);
  const excuse = stale === undefined ? {} : { PG_GRANDPARENT_PID: String(stale.pid) };
  await rm(socketPath(folder), { force: true });
  await rm(`${socketPath(folder)}.lock`, { force: true });

  const user = await chooseServerUser(folder.root, binaries);
  const parameters = ['-D', folder.data, ...settings.flatMap((setting) => ['-c', setting])];
  const { file, args, options } = postgresCommand(user, binaries.postgres, parameters, excuse);
  const serverLog = await openServerLog(folder);
  let child: ChildProcess;
  try {
    // With its own session and no pipe the server survives a kill of this process and the terminal's Ctrl-C. The next
    // start adopts it.
    child = spawn(file, args, {
      ...options,
      detached: true,
      stdio: ['ignore', serverLog.fd, serverLog.fd],
      windowsHide: true,
    });
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  } finally {
    await serverLog.close();
  }
  child.unref();
  const pid = child.pid!; // Set, because the child has spawned.
  const isAlive = async (): Promise<boolean> => child.exitCode === null && child.signalCode === null;
  const server = { pid, port, host: isOnSocket ? folder.root : '127.0.0.1', isAlive };
  try {
    if ((await untilReady(folder, pid, isAlive)) === 'ready') return server;
  } catch (error) {
    await stopServer(server, binaries);
    throw error;
  }
  return await readServerLog(folder, serverLog.sizeBytes);
}

async function untilReady(
  folder: PostgresFolder,
  pid: number,
  isAlive: () => Promise<boolean>,
): Promise<'ready' | 'ended'> {
  const deadline = performance.now() + readyMillisecondsMax;
  while (await isAlive()) {
    const postmaster = await readPostmaster(folder);
    if (postmaster?.pid === pid && postmaster.status === 'ready') return 'ready';
    if (performance.now() > deadline) {
      throw new StartError(
        `PostgreSQL (process ${pid}) on ${folder.dataDir} is not ready after ${readyMillisecondsMax / 1000} s: ` +
          `see ${folder.log}, and end that process before the next start.`,
      );
    }
    await sleep(pollMilliseconds);
  }
  return 'ended';
}

/**
 * Stops the server in steps: a fast shutdown that rolls back open transactions, after 10 s an immediate shutdown from
 * which the next start recovers, after 7 s more SIGKILL.
 */
export async function stopServer(server: RunningServer, binaries: PostgresBinaries): Promise<void> {
  for (const [signal, waitMilliseconds] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 7_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!(await server.isAlive())) return;
    await sendSignal(server.pid, signal, binaries);
    const deadline = performance.now() + waitMilliseconds;
    while (performance.now() < deadline) {
      if (!(await server.isAlive())) return;
      await sleep(pollMilliseconds);
    }
  }
}

async function sendSignal(
  pid: number,
  signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL',
  binaries: PostgresBinaries,
): Promise<void> {
  if (process.platform === 'win32' && signal !== 'SIGKILL') {
    // Windows has no signals, so PostgreSQL receives them on a pipe, to which pg_ctl writes.
    const child = spawn(binaries.pgCtl, ['kill', signal.slice(3), String(pid)], { stdio: 'ignore', windowsHide: true });
    await new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    return;
  }
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function socketPath(folder: PostgresFolder): string {
  return join(folder.root, `.s.PGSQL.${socketPort}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
