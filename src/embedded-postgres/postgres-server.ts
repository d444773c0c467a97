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

/** A postmaster on our folder, whether we started it or found it. */
export type RunningServer = { pid: number; host: string; port: number; isAlive(): Promise<boolean> };

export type ServerSetup = { folder: PostgresFolder; binaries: PostgresBinaries; isFast: boolean };

/** The file's name is part of the protocol: `.s.PGSQL.<port>`; nobody listens on this port. */
const socketPort = 5432;
/** sun_path holds 108 bytes on Linux and 104 on macOS, one of them for the end. */
const socketPathBytesMax = process.platform === 'darwin' ? 103 : 107;
const launchesMax = 20;
/** Recovery replays at most max_wal_size or so; a minute of it would be a very slow disk. */
const readyMillisecondsMax = 120_000;
const pollMilliseconds = 10;

/**
 * What we set on the command line, where neither a file of the folder nor an earlier release can differ from it.
 * Everything else is PostgreSQL's default.
 */
function serverSettings(isFast: boolean): string[] {
  return [
    'max_connections=100',
    'wal_compression=on',
    // Bounds recovery after a kill: some 360 MB may pile up, 1.4 s of processor time (by default 600 MB and 2.8 s).
    'max_wal_size=512MB',
    'checkpoint_warning=0',
    'jit=off',
    'max_parallel_workers_per_gather=0',
    // What is asked for is in memory, or on a disk without a head to move. At the default of 4 the newest thousand matches of a common
    // word were found by reading every one that there is.
    'random_page_cost=1.1',
    'timezone=UTC',
    'log_timezone=UTC',
    // Statements hold what people wrote: none of them goes to the log.
    'log_min_messages=warning',
    'log_min_error_statement=panic',
    'log_checkpoints=off',
    'unix_socket_permissions=0700',
    ...(isFast
      ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0']
      : ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on']),
  ];
}

/** Names a server by its programs and settings, so that one of another release or kind is recognised and not adopted. */
export function serverName({ binaries, isFast }: ServerSetup): string {
  const identity = [binaries.postgres, ...serverSettings(isFast)].join('\n');
  return `kontor-${createHash('sha256').update(identity).digest('hex').slice(0, 12)}`;
}

/**
 * Finds the server that runs on our folder, such as one whose parent was killed, and waits until it answers.
 * @returns `elsewhere` when it answers but its process is not to be seen (another container shares the folder)
 * Throws a `StartError` when it lives and does not become ready.
 */
export async function findServer(
  folder: PostgresFolder,
  answers: (server: RunningServer) => Promise<boolean>,
): Promise<RunningServer | 'elsewhere' | undefined> {
  const postmaster = await readPostmaster(folder);
  if (postmaster === undefined) {
    // Empty after a power cut or on a full disk; a server would not start on it.
    await rm(join(folder.data, 'postmaster.pid'), { force: true });
    return undefined;
  }
  const { pid, port, isOnSocket } = postmaster;
  const isAlive = (): Promise<boolean> => isPostmaster(pid, folder);
  const server = { pid, port, host: isOnSocket ? folder.root : '127.0.0.1', isAlive };
  // A TCP port is not asked: by now it may be a stranger's.
  if (!(await isAlive())) return isOnSocket && (await answers(server)) ? 'elsewhere' : undefined;
  if ((await untilReady(folder, pid, isAlive)) === 'ended') return undefined;
  const ready = await readPostmaster(folder);
  return ready === undefined
    ? undefined
    : { ...server, port: ready.port, host: ready.isOnSocket ? folder.root : '127.0.0.1' };
}

/** Starts a server on the folder, which nobody else does at this time, and waits until it is ready. */
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
    // Where memory is promised to nobody that is not there, a quarter may be too much, however little of it would be used.
    if (bufferMb > bufferMbLeast && /could not map anonymous shared memory/.test(outcome)) bufferMb = bufferMbLeast;
    // Some network and desktop file systems hold no sockets.
    else if (isOnSocket && /Unix-domain socket|Unix address/.test(outcome)) isOnSocket = false;
    // The backends of a killed postmaster notice within moments that it is gone.
    else if (/shared memory block .* still in use/.test(outcome)) await sleep(250);
    else if (isOnSocket || !/could not bind|could not create any TCP/.test(outcome)) throw fault;
  }
}

/** @returns the server, or what it logged when it ended */
async function launchOnce(
  { folder, binaries, isFast }: ServerSetup,
  { isOnSocket, bufferMb }: { isOnSocket: boolean; bufferMb: number },
): Promise<RunningServer | string> {
  const name = serverName({ folder, binaries, isFast });
  const port = isOnSocket ? socketPort : await freePort();
  // A comma would separate folders, hence the quotes.
  const listen = isOnSocket
    ? ['listen_addresses=', `unix_socket_directories="${folder.root.replaceAll('"', '""')}"`]
    : ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
  // The buffers are no part of the name: a server that has others, in a container with more memory, is as good.
  const settings = [
    `cluster_name=${name}`,
    `port=${port}`,
    ...listen,
    `shared_buffers=${bufferMb}MB`,
    ...serverSettings(isFast),
  ];
  // A pid file names a process that is no server of ours, or we would not be here. PostgreSQL excuses one id, which pg_ctl
  // uses for its own parent; so the file need not be removed, and with it the check for surviving backends.
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
    // A session of its own and no pipe: it outlives us when we are killed, is spared the terminal's Ctrl-C, and is adopted.
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
  const pid = child.pid!; // It has spawned.
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
        `PostgreSQL (process ${pid}) on ${folder.dataDir} is not ready after ${readyMillisecondsMax / 1000} s: see ${folder.log}, and end that process before the next start.`,
      );
    }
    await sleep(pollMilliseconds);
  }
  return 'ended';
}

/** Ends the server: fast (open transactions are rolled back), after 10 s at once (the next start recovers), at last by force. */
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
    // Windows has no signals; PostgreSQL listens for its own on a pipe.
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
