import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/ground/database/migrate.ts';
import { startEmbeddedPostgres } from '../../src/ground/embedded-postgres/embedded-postgres.ts';
import { openLog } from '../../src/ground/platform/log.ts';
import { unpackedChromium } from '../pages/unpacked-chromium.ts';
import { keepTwoPhases, makeDistributedTemplate, nodesOf } from './citus-template.ts';
import { databasePlace } from './database-place.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server of this run. On a cluster it is the coordinator. */
    serverUrl: string;
    /**
     * The servers that each have their part of a database: one server, or all nodes of the cluster that `CITUS` names.
     */
    nodeUrls: string[];
  }
}

/** The migrated database that each test file clones. */
export const templateDatabase = 'kontor_template';

export async function setup(project: TestProject): Promise<void> {
  // Before the first browser, as four workers would each unpack it.
  await Promise.all([openDatabase(project), unpackedChromium()]);
}

/** Starts one real PostgreSQL for the whole run, or takes the cluster of `CITUS`, with one migrated database. */
async function openDatabase(project: TestProject): Promise<void> {
  const { CITUS: clusterUrl } = process.env;
  if (clusterUrl !== undefined) {
    const nodes = await nodesOf(clusterUrl);
    await makeDistributedTemplate(nodes, templateDatabase, openLog('warn'));
    project.provide('serverUrl', clusterUrl);
    project.provide('nodeUrls', nodes);
    stop = () => keepTwoPhases(clusterUrl, false);
    return;
  }
  const dataDir = await mkdtemp(join(databasePlace(), 'kontor-test-'));
  const log = openLog('warn');
  const postgres = await startEmbeddedPostgres({ dataDir, log, fast: true });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`create database ${templateDatabase}`);
  await client.end();
  await migrate(databaseUrl(postgres.url, templateDatabase), log);
  project.provide('serverUrl', postgres.url);
  project.provide('nodeUrls', [postgres.url]);
  stop = async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

export async function teardown(): Promise<void> {
  await stop();
}

let stop = async (): Promise<void> => {};

/** The same server's address with another database's name. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
