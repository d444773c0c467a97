import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { openPasswordJudge } from '../../src/access/accounts/password-strength.ts';
import { type App, type AppOptions, openApp } from '../../src/app.ts';
import type { BodyLimits } from '../../src/ground/http/body-limits.ts';
import type { Server } from '../../src/ground/http/http.ts';
import { newId } from '../../src/ground/lib/ids.ts';
import { openLog } from '../../src/ground/platform/log.ts';
import { readConfig } from '../../src/ground/settings/config.ts';
import { openTelemetry } from '../../src/ground/telemetry/open-telemetry.ts';
import { buildServer } from '../../src/server.ts';
import { drain } from '../../src/worker.ts';
import { asSuperuser } from './citus-template.ts';
import { databasePlace } from './database-place.ts';
import { dropDatabase } from './drop-database.ts';
import { databaseUrl, templateDatabase } from './global-setup.ts';

type TestClock = { now(): Date; advance(milliseconds: number): void };

/** The whole service on its own database and a real port. Jobs run only when the test calls `drain`. */
export type House = {
  app: App;
  server: Server;
  /** `http://127.0.0.1:<port>` */
  url: string;
  clock: TestClock;
  dataDir: string;
  databaseUrl: string;
  /** Runs every job that is due. */
  drain(): Promise<void>;
  /** The sent mails, oldest first, as raw text. */
  outbox(): Promise<string[]>;
};

/** Replacements for the outside world. */
type HouseOptions = Pick<AppOptions, 'resolveName' | 'resolveDns'> & { bodyLimits?: BodyLimits };

/** Call at the top of a test file. The house opens before the first test and closes after the last. */
export function useHouse(settings: Record<string, string> = {}, options: HouseOptions = {}): House {
  const house = {} as House & { close(): Promise<void> };
  beforeAll(async () => {
    Object.assign(house, await buildHouse(settings, undefined, options));
  });
  afterAll(async () => {
    await house.close?.();
  });
  return house;
}

/** @param extend adds the test's own routes before the server listens */
export async function buildHouse(
  settings: Record<string, string> = {},
  extend: (server: Server, house: Pick<House, 'app'>) => void = () => {},
  { bodyLimits, ...options }: HouseOptions = {},
): Promise<House & { close(): Promise<void> }> {
  const database = await cloneDatabase();
  const dataDir = await mkdtemp(join(databasePlace(), 'kontor-house-'));
  const clock = testClock();
  const log = openLog('silent');
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', EMAIL_VERIFICATION: 'off', ...settings });
  const telemetry = await openTelemetry(config.telemetry, log);
  const opened = openApp({
    config,
    telemetry,
    log,
    databaseUrl: database.url,
    clock,
    poolSize: 10,
    passwordCost,
    resolveDns: noDns,
    ...options,
  });
  const app = config.passwordMinScore === undefined ? { ...opened, passwordJudge } : opened;
  const server = await buildServer(app, {}, bodyLimits);
  extend(server, { app });
  const url = await server.listen({ host: '127.0.0.1', port: settings.PORT === undefined ? 0 : config.port });
  return {
    app,
    server,
    url,
    clock,
    dataDir,
    databaseUrl: database.url,
    drain: () => drain(app),
    outbox: () => readOutbox(dataDir),
    close: async () => {
      await server.close();
      await app.close();
      await telemetry?.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** DNS without records, since tests ask no real resolver. */
const noDns: NonNullable<AppOptions['resolveDns']> = async () => {
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
};

/** One thread for the houses of a worker: loading its dictionaries takes a third of a second of processor time. */
const passwordJudge = openPasswordJudge({ minScore: undefined });

/** The lowest cost that argon2id allows. Other tests cover the cost of hashing. */
const passwordCost = { memoryCost: 8, timeCost: 1 };

/**
 * A second process of the same service, emulated inside this process: only database and settings are shared.
 * @param prepare gets the app before its first connection
 */
export async function buildReplica(
  { app: { config }, clock, databaseUrl: url }: House,
  poolSize = 10,
  prepare: (app: App) => void = () => {},
  options: Pick<AppOptions, 'requestQueryTimeoutMs'> = {},
): Promise<Pick<House, 'app' | 'url'> & { close(): Promise<void> }> {
  const app = openApp({
    config,
    log: openLog('silent'),
    databaseUrl: url,
    clock,
    poolSize,
    passwordCost,
    resolveDns: noDns,
    ...options,
  });
  prepare(app);
  const server = await buildServer(app);
  return {
    app,
    url: await server.listen({ host: '127.0.0.1', port: 0 }),
    close: async () => {
      await server.close();
      await app.close();
    },
  };
}

/** A database of its own, cloned from the migrated template. */
export async function cloneDatabase({ isDistributed = true } = {}): Promise<{ url: string; drop(): Promise<void> }> {
  const serverUrl = inject('serverUrl');
  const name = `t_${newId().replaceAll('-', '')}`;
  const allNodes = inject('nodeUrls');
  const isPlainOnCluster = allNodes.length > 1 && !isDistributed;
  const nodeUrls = isPlainOnCluster ? allNodes.slice(0, 1) : allNodes;
  const template = isPlainOnCluster ? 'template0' : templateDatabase;
  const onNodes = async (urls: readonly string[], work: (client: pg.Client) => Promise<unknown>) => {
    await Promise.all(urls.map((url) => onServer(url, work)));
  };
  // Ten times as fast as through the log, since nothing here is flushed to disk.
  await onNodes(nodeUrls, (client) => client.query(`create database ${name} template ${template} strategy file_copy`));
  return {
    url: databaseUrl(serverUrl, name),
    // Citus has sessions of the superuser in each database, and only that role may end them.
    drop: () =>
      onNodes(allNodes.length > 1 ? nodeUrls.map((url) => asSuperuser(url)) : nodeUrls, (client) =>
        dropDatabase(client, name),
      ),
  };
}

async function onServer(serverUrl: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    // Clones take turns, since PostgreSQL copies a template for one client at a time.
    await client.query('select pg_advisory_lock(1)');
    await work(client);
  } finally {
    await client.end();
  }
}

/** Follows the wall clock, plus the time by which a test advanced it. */
function testClock(): TestClock {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    advance: (milliseconds) => {
      offset += milliseconds;
    },
  };
}

async function readOutbox(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'outbox');
  const names = await readdir(folder).catch(() => []);
  return Promise.all(
    names
      .filter((name) => name.endsWith('.eml'))
      .sort()
      .map((name) => readFile(join(folder, name), 'utf8')),
  );
}
