/** Imports real mail through the real import, and measures results, speed and memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { MailOfFile } from '@kontor/mail/files/mailbox-files.ts';
import { createUser } from '../src/access/accounts/create-user.ts';
import { createWorkspace } from '../src/access/workspaces/create-workspace.ts';
import { type App, openApp } from '../src/app.ts';
import { migrate } from '../src/ground/database/migrate.ts';
import { sql } from '../src/ground/database/sql.ts';
import { startEmbeddedPostgres } from '../src/ground/embedded-postgres/embedded-postgres.ts';
import { newId, type WorkspaceId } from '../src/ground/lib/ids.ts';
import { openLog } from '../src/ground/platform/log.ts';
import { readConfig } from '../src/ground/settings/config.ts';
import { importMails } from '../src/transport/mailflow/import/import.ts';
import { makeMbox } from './make-mbox.ts';

export type Figure = { name: string; got: string; need: string; ok: boolean };

const shuffles = 5;
const mboxBytes = 30_000_000;
const ratePerSecondMin = 200;
const memoryMbMax = 300;

/** The figures that need a database: durable as in production, in a folder of its own. */
export async function ingestFigures(corpusDir: string): Promise<Figure[]> {
  await using house = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'kontor-corpus-'));
  house.defer(() => rm(dataDir, { recursive: true, force: true }));
  const log = openLog('warn');
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  house.defer(postgres.stop);
  await migrate(postgres.url, log);
  const app = openApp({
    config: readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' }),
    log,
    databaseUrl: postgres.url,
    poolSize: 4,
  });
  house.defer(() => app.close());
  return [
    await threadsFound(app, resolve(corpusDir, 'list-threads')),
    await mailsKept(app, resolve(corpusDir, 'messages')),
    ...(await importMeasured(app, resolve(corpusDir, 'list-threads'), dataDir)),
  ];
}

/** Compares the threads with those of an established indexer, in several orders of the files. */
async function threadsFound(app: App, folder: string): Promise<Figure> {
  const mails = await readFolder(folder);
  const results = new Set<string>();
  for (let round = 0; round < shuffles; round++) {
    const workspaceId = await makeWorkspace(app);
    const shuffled = round === 0 ? mails : mails.toSorted(() => Math.random() - 0.5);
    const { new: taken, tickets } = await importFolder(app, workspaceId, shuffled);
    const conversations = await app.db.rows(sql`
      select t.subject, c.email, array_agg(m.rfc_message_id order by m.rfc_message_id) as mails
      from tickets t
      join messages m on m.workspace_id = ${workspaceId} and m.ticket_id = t.id
      left join contacts c on c.workspace_id = ${workspaceId} and c.id = t.requester_id
      where t.workspace_id = ${workspaceId} and t.merged_into_id is null
      group by t.workspace_id, t.id, c.workspace_id, c.id
      order by min(m.rfc_message_id)`);
    results.add(JSON.stringify([mails.length, taken, tickets, conversations]));
  }
  const [result = '[]'] = results;
  const [files, messages, tickets] = JSON.parse(result) as number[];
  return {
    name: `list-threads in ${shuffles} orders of the files`,
    got: `${files} files, ${messages} messages, ${tickets} tickets, ${results.size} result`,
    need: '210, 176, 7, 1',
    ok: files === 210 && messages === 176 && tickets === 7 && results.size === 1,
  };
}

async function mailsKept(app: App, folder: string): Promise<Figure> {
  const mails = await readFolder(folder);
  const workspaceId = await makeWorkspace(app);
  const totals = await importFolder(app, workspaceId, mails);
  const rows = await app.db.rows<{ sha256: string }>(sql`
    select sha256
    from raw_mails
    where workspace_id = ${workspaceId} and message_id is not null and state <> 'pending'`);
  const kept = await Promise.all(rows.map(({ sha256 }) => app.blobs.packed.get(workspaceId, sha256)));
  const lost = mails.filter(({ raw }) => !kept.some((bytes) => bytes.equals(raw))).length;
  return {
    name: 'messages that ended as a message or quarantined',
    got: `${mails.length - lost} of ${mails.length} (${totals.quarantined} quarantined)`,
    need: 'all',
    ok: lost === 0 && mails.length > 0,
  };
}

/** Other work on the machine may slow down one import, but not three in a row. */
const importsMax = 3;

/** Runs the real command, as `npm run import` starts it, beside the running database. */
async function importMeasured(app: App, folder: string, dataDir: string): Promise<Figure[]> {
  const mbox = join(dataDir, 'mails.mbox');
  const { mails } = await makeMbox(folder, mbox, mboxBytes);
  let rate = 0;
  let memoryMb = 0;
  for (let done = 0; done < importsMax && rate < ratePerSecondMin; done++) {
    const measured = await importOnce(await makeWorkspace(app), mbox, dataDir);
    rate = Math.max(rate, mails / measured.seconds);
    memoryMb = Math.max(memoryMb, measured.memoryMb);
  }
  return [
    {
      name: 'import of a 30 MB mbox, mails a second',
      got: `${Math.round(rate)} (${mails} mails)`,
      need: `>= ${ratePerSecondMin}`,
      ok: rate >= ratePerSecondMin,
    },
    {
      name: 'its memory at most, MB',
      got: memoryMb === 0 ? 'not measured on this system' : String(Math.round(memoryMb)),
      need: `< ${memoryMbMax}`,
      ok: memoryMb < memoryMbMax,
    },
  ];
}

async function importOnce(
  workspaceId: WorkspaceId,
  mbox: string,
  dataDir: string,
): Promise<{ seconds: number; memoryMb: number }> {
  const { scripts } = JSON.parse(await readFile(resolve(import.meta.dirname, '../package.json'), 'utf8'));
  const parameters = String(scripts.import).split(' ').slice(1);
  const child = spawn(process.execPath, [...parameters, '--workspace', workspaceId, mbox], {
    cwd: resolve(import.meta.dirname, '..'),
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const startedAt = performance.now();
  let memoryMb = 0;
  const watching = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    memoryMb = Math.max(memoryMb, Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }, 200);
  const [code] = await once(child, 'close');
  clearInterval(watching);
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  return { seconds: (performance.now() - startedAt) / 1_000, memoryMb };
}

async function readFolder(folder: string): Promise<{ source: string; raw: Buffer }[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
  return Promise.all(names.map(async (name) => ({ source: name, raw: await readFile(resolve(folder, name)) })));
}

async function makeWorkspace(app: App): Promise<WorkspaceId> {
  const { id } = await app.db.tx(async (tx) => {
    const owner = { email: `${newId()}@kontor.test`, name: null, passwordHash: null, isVerified: true };
    const ownerId = await createUser(tx, owner);
    if (ownerId === undefined) throw new Error('a new address is taken');
    return createWorkspace(tx, { name: 'Corpus', ownerId });
  });
  return id;
}

async function importFolder(app: App, workspaceId: WorkspaceId, mails: readonly MailOfFile[]) {
  return importMails(app, {
    source: { workspaceId, origin: 'import', via: 'import', mailboxId: null, receivedAt: new Date() },
    mails: (async function* () {
      yield* mails;
    })(),
    signal: new AbortController().signal,
    onProgress: () => {},
  });
}
