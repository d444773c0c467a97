import { mkdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartError } from '../lib/start-error.ts';
import { lockFolder } from './folder-lock.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { explainFault } from './postgres-faults.ts';
import { type PostgresFolder, postgresFolder, prepareFolder, superuser } from './postgres-folder.ts';
import {
  findServer,
  launchServer,
  type RunningServer,
  type ServerSetup,
  serverName,
  stopServer,
} from './postgres-server.ts';

export type EmbeddedPostgres = {
  /** The service's database, with its owner (no superuser, may create databases). Contains a password. */
  url: string;
  /** PostgreSQL's data folder. */
  directory: string;
  /** Resolves when this service loses the database. The service must then end with this message. Never rejects. */
  exited: Promise<StartError>;
  /** Stops the server and releases the folder. Safe to call again. */
  stop(): Promise<void>;
};

type EmbeddedPostgresOptions = {
  dataDir: string;
  log: Record<'info' | 'warn', (fields: object, message: string) => void>;
  /** For tests: trades durability for speed, so a power cut loses data. */
  fast?: boolean;
};

const application = 'kontor';
/** The session lock of the service that owns the server. Any number works, as nothing else locks in `postgres`. */
export const ownerLock = 6_010_601;
const lockWaitMillisecondsMax = 2_000;
const regainMillisecondsMax = 60_000;

/**
 * Starts PostgreSQL under `dataDir`, or adopts the server that a killed service left running there.
 *
 * Two locks decide who owns the folder:
 * - A lock of the operating system, held from the first access until `stop`. Of two services that start at once, the
 *   second waits and then gives up, so a second initdb or postmaster never runs.
 * - A session advisory lock in the server decides adoption. If the lock is free, the server is an orphan and this
 *   service adopts it. If it is held, another service uses the server. File systems without locks have only this lock.
 * Throws a `StartError` when the start is impossible.
 */
export async function startEmbeddedPostgres({
  dataDir,
  log,
  fast = false,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = postgresFolder(resolve(dataDir));
  let release = (): void => {};
  try {
    await mkdir(folder.dataDir, { recursive: true, mode: 0o700 });
    const lock = await lockFolder(folder.dataDir, 'postgres.lock');
    if (lock === 'held') throw secondInstance(folder);
    if (lock === 'unsupported')
      log.warn({}, 'The file system of the data folder has no locks: never start two services on it');
    else release = () => lock.release();
    const setup = { folder, binaries: await findPostgresBinaries(), isFast: fast };
    return await start(setup, log, release);
  } catch (error) {
    release();
    throw explainFault(error, folder.dataDir);
  }
}

async function start(
  setup: ServerSetup,
  log: EmbeddedPostgresOptions['log'],
  release: () => void,
): Promise<EmbeddedPostgres> {
  const { folder } = setup;
  const startedAt = performance.now();
  const before = await prepareFolder(folder, setup.binaries, setup.isFast);
  const password = await readFile(folder.password, 'utf8');
  const adopted = before === 'made' ? undefined : await adopt(setup, password, log);
  const owned = adopted ?? (await launch(setup, password));
  try {
    await makeApplicationDatabase(owned.client, password);
  } catch (error) {
    await owned.client.end();
    await stopServer(owned.server, setup.binaries);
    throw error;
  }
  const milliseconds = Math.round(performance.now() - startedAt);
  log.info({ pid: owned.server.pid, isAdopted: adopted !== undefined, milliseconds }, 'PostgreSQL is ready');
  return holdOwner(owned, { setup, password, log, release });
}

type Owned = { server: RunningServer; client: pg.Client };

/** Adopts a running server. Undefined when none runs, or when the server has ended or was stopped here. */
async function adopt(
  setup: ServerSetup,
  password: string,
  log: EmbeddedPostgresOptions['log'],
): Promise<Owned | undefined> {
  const { folder } = setup;
  const answers = async (server: RunningServer): Promise<boolean> => {
    const client = await openClient(server, password).catch(() => undefined);
    await client?.end();
    return client !== undefined;
  };
  const server = await findServer(folder, answers);
  if (server === undefined) return undefined;
  const client = server === 'elsewhere' ? 'held' : await takeOwnership(server, password);
  if (server === 'elsewhere' || client === 'held') throw secondInstance(folder);
  if (client === 'ended') return undefined;
  const { rows } = await client.query<{ name: string }>(`select current_setting('cluster_name') as name`);
  if (rows[0]?.name === serverName(setup)) return { server, client };
  log.info({ pid: server.pid }, 'PostgreSQL runs with another release or other settings: restarting it');
  await stopServer(server, setup.binaries);
  await client.end();
  return undefined;
}

async function launch(setup: ServerSetup, password: string): Promise<Owned> {
  const server = await launchServer(setup);
  try {
    const client = await takeOwnership(server, password);
    if (client === 'held') throw secondInstance(setup.folder);
    if (client === 'ended') throw new StartError(`PostgreSQL ended while it started: see ${setup.folder.log}.`);
    return { server, client };
  } catch (error) {
    await stopServer(server, setup.binaries);
    throw error;
  }
}

/** Connects and takes the owner's lock. A killed owner's session releases the lock once it sees its socket closed. */
async function takeOwnership(server: RunningServer, password: string): Promise<pg.Client | 'held' | 'ended'> {
  const deadline = performance.now() + lockWaitMillisecondsMax;
  const client = await connectPatiently(server, password, deadline);
  if (client === 'ended') return 'ended';
  for (;;) {
    const { rows } = await client.query<{ isOurs: boolean }>('select pg_try_advisory_lock($1) as "isOurs"', [
      ownerLock,
    ]);
    if (rows[0]?.isOurs) return client;
    // After the lock, as a busy machine may take all the time to connect.
    if (performance.now() >= deadline) break;
    await sleep(50);
  }
  await client.end();
  return 'held';
}

async function connectPatiently(
  server: RunningServer,
  password: string,
  deadline: number,
): Promise<pg.Client | 'ended'> {
  for (;;) {
    try {
      return await openClient(server, password);
    } catch (error) {
      if (!(await server.isAlive())) return 'ended';
      // A retry cannot fix 28P01 (invalid_password).
      if ((error as { code?: string }).code === '28P01' || performance.now() > deadline) throw error;
      await sleep(20);
    }
  }
}

/**
 * Connects as superuser to `postgres`, which is never cloned. A template database must have no sessions, and this
 * session stays open.
 */
async function openClient(server: RunningServer, password: string): Promise<pg.Client> {
  const client = new pg.Client({
    host: server.host,
    port: server.port,
    user: superuser,
    password,
    database: 'postgres',
    ssl: false,
    application_name: `${application}-owner`,
    connectionTimeoutMillis: 5_000,
  });
  // `keep` reacts to the `end` event. Without this listener an error would end the process.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/**
 * Creates the service's role, which is no superuser, and its database at the first start. If that start breaks off, the
 * next start completes both.
 */
async function makeApplicationDatabase(client: pg.Client, password: string): Promise<void> {
  const { rows } = await client.query('select from pg_database where datname = $1', [application]);
  if (rows.length > 0) return;
  const roles = await client.query('select from pg_roles where rolname = $1', [application]);
  if (roles.rows.length === 0) {
    await client.query(`create role ${application} login createdb password ${client.escapeLiteral(password)}`);
  }
  // The service receives its errors itself. In the server's log they would collect personal data without bound.
  await client.query(`alter role ${application} set log_min_messages to fatal`);
  await client.query(`create database ${application} owner ${application}`);
}

type Keeping = { setup: ServerSetup; password: string; log: EmbeddedPostgresOptions['log']; release: () => void };

/** Holds the owner's connection while the service runs, and reconnects if it breaks while the server lives. */
function holdOwner({ server, client: first }: Owned, { setup, password, log, release }: Keeping): EmbeddedPostgres {
  const { folder, binaries } = setup;
  const { promise: exited, resolve: tell } = Promise.withResolvers<StartError>();
  let state: 'owned' | 'stopping' | 'lost' = 'owned';
  let client = first;
  let stopped: Promise<void> | undefined;

  const lose = (message: string): void => {
    if (state !== 'owned') return;
    state = 'lost';
    tell(new StartError(message));
  };
  const watch = (): void => {
    client.once('end', () => void regain());
  };
  // A session breaks when an operator ends it, or when a crashed backend makes the server restart all sessions.
  const regain = async (): Promise<void> => {
    if (state !== 'owned') return;
    log.warn({ pid: server.pid }, 'The connection that owns the database broke: reconnecting');
    const deadline = performance.now() + regainMillisecondsMax;
    while (state === 'owned' && performance.now() < deadline) {
      const outcome = await takeOwnership(server, password).catch(() => undefined);
      if (outcome === 'ended') return lose(`PostgreSQL (process ${server.pid}) ended by itself: see ${folder.log}.`);
      if (outcome === 'held') return lose(secondInstance(folder).message);
      if (outcome !== undefined) {
        client = outcome;
        return watch();
      }
      await sleep(100);
    }
    lose(`PostgreSQL (process ${server.pid}) does not answer any more: see ${folder.log}.`);
  };
  const stop = async (): Promise<void> => {
    // Stops the server before it releases the lock, so that no other service adopts a server that is about to end.
    state = 'stopping';
    await stopServer(server, binaries);
    await client.end();
    release();
  };

  watch();
  return {
    url: applicationUrl(server, password),
    directory: folder.data,
    exited,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Puts the socket's folder into the query: `pg` and libpq both read it there, and `new URL` can parse the rest. */
export function applicationUrl({ host, port }: RunningServer, password: string): string {
  const isSocket = host.startsWith('/');
  const query = isSocket ? `host=${encodeURIComponent(host)}&sslmode=disable` : 'sslmode=disable';
  return `postgresql://${application}:${password}@${isSocket ? 'localhost' : host}:${port}/${application}?${query}`;
}

function secondInstance(folder: PostgresFolder): StartError {
  return new StartError(
    `Another Kontor uses the data folder ${folder.dataDir}: stop it first, or set DATA_DIR to another folder ` +
      '(several processes share a database by DATABASE_URL).',
  );
}
