/**
 * Kills each node of a Citus cluster in turn (kill -9) while tickets are written in eight workspaces, and starts it
 * again. Exits with 1 if an acknowledged ticket is lost or there twice, if a stream misses or repeats its event, or if
 * a workspace on another worker is refused while a worker is away.
 *
 *     DATABASE_URL=postgres://kontor@127.0.0.1:9700/kontor CLUSTER=scripts/citus-cluster.sh \
 *       node bench/prove/citus-kills.ts
 *
 * `docs/scale.md` says how to make and distribute the cluster.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { WorkspaceId } from '../../src/lib/ids.ts';
import { readEvents } from '../../test/event-reader.ts';
import { call } from '../../test/factories.ts';
import { type Service, startService } from '../../test/service.ts';
import { temporaryFolder } from '../../test/service-process.ts';

const workspacesMax = 8;
const quietMs = 10_000;
const awayMs = 10_000;
const answerMsMax = 60_000;
const settleMsMax = 180_000;
const password = 'correct horse battery';

type Workspace = {
  workspaceId: WorkspaceId;
  token: string;
  node: number;
  /** Acknowledged tickets. */
  acknowledged: string[];
  /** Tickets that the stream told of. */
  told: string[];
};

/** An answer to an attempt: its time, the workspace's node and the status. 0: none came. */
const answers: { atMs: number; node: number; status: number; retryAfter: string | null }[] = [];

const { DATABASE_URL: databaseUrl = '', CLUSTER: cluster = '' } = process.env;
if (databaseUrl === '' || cluster === '') throw new Error('DATABASE_URL and CLUSTER are needed: see the first lines.');
const run = promisify(execFile);
let isWriting = true;
let isReading = true;

async function register(at: Service, number: number): Promise<Workspace> {
  const account = { email: `kills-${number}-${randomUUID()}@example.org`, password };
  const registered = await call(at, 'POST', '/v1/auth/register', account);
  if (registered.status !== 201) throw new Error(`registering answered ${registered.status}`);
  const { body } = await call(at, 'POST', '/v1/auth/session', { provider: 'local', ...account });
  const workspaceId: WorkspaceId = body.workspace.id;
  return { workspaceId, token: body.accessToken, node: await nodeOf(workspaceId), acknowledged: [], told: [] };
}

async function nodeOf(workspaceId: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ node: number }>(
    `select n.groupid as node
     from pg_dist_placement p
     join pg_dist_node n on n.groupid = p.groupid
     where p.shardid = get_shard_id_for_distribution_column('tickets', $1::uuid)`,
    [workspaceId],
  );
  await client.end();
  return rows[0]?.node ?? 0;
}

/** Writes tickets one after the other. A ticket whose answer is missing or says "later" is sent again with its key. */
async function write(at: Service, workspace: Workspace): Promise<void> {
  while (isWriting) {
    const key = randomUUID();
    for (;;) {
      const { status, body, retryAfter } = await attempt(at, workspace, key);
      answers.push({ atMs: performance.now(), node: workspace.node, status, retryAfter });
      if (status === 201) workspace.acknowledged.push(body.id);
      if (status === 201) break;
      await sleep(200);
    }
  }
}

async function attempt(at: Service, { workspaceId, token }: Workspace, key: string) {
  try {
    const response = await fetch(`${at.url}/v1/workspaces/${workspaceId}/tickets`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'x-workspace-id': workspaceId,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ subject: `ticket ${key}`, body: 'b' }),
      signal: AbortSignal.timeout(answerMsMax),
    });
    const body = (await response.json()) as { id: string };
    return { status: response.status, body, retryAfter: response.headers.get('retry-after') };
  } catch {
    return { status: 0, body: { id: '' }, retryAfter: null };
  }
}

/** Follows a stream, and opens it again where it ended. */
async function follow(at: Service, workspace: Workspace): Promise<void> {
  let lastEventId: string | undefined;
  while (isReading) {
    const reader = await readEvents(at, workspace, lastEventId === undefined ? {} : { lastEventId }).catch(() => null);
    if (reader === null || reader.status !== 200) {
      reader?.close();
      await sleep(500);
      continue;
    }
    while (isReading && (await Promise.race([reader.ended.then(() => false), sleep(250, true)])));
    reader.close();
    const made = reader.events.filter(({ data }) => data.type === 'ticket.created');
    workspace.told.push(...made.map(({ data }) => data.ticketId));
    if (reader.lastEventId() !== '') lastEventId = reader.lastEventId();
  }
}

type Outage = { node: number; fromMs: number; untilMs: number; firstAgainMs: number };

async function killAndStart(node: number, workspaces: readonly Workspace[]): Promise<Outage> {
  const fromMs = performance.now();
  await run(cluster, ['kill', String(node)]);
  await sleep(awayMs);
  const untilMs = performance.now();
  await run(cluster, ['start']);
  const startedMs = performance.now();
  const before = workspaces.map(({ acknowledged }) => acknowledged.length);
  while (workspaces.some(({ acknowledged }, at) => acknowledged.length === before[at])) {
    if (performance.now() - startedMs > settleMsMax) throw new Error(`after node ${node} was back, writes stood still`);
    await sleep(50);
  }
  return { node, fromMs, untilMs, firstAgainMs: performance.now() - startedMs };
}

function tellOutage({ node, fromMs, untilMs, firstAgainMs }: Outage): string[] {
  const during = answers.filter(({ atMs }) => atMs > fromMs && atMs < untilMs);
  const count = (isTheirs: boolean, isMade: boolean) =>
    during.filter((each) => (each.node === node) === isTheirs && (each.status === 201) === isMade).length;
  const refused = during.filter(({ status }) => status === 503);
  console.log(
    `node ${node} away ${Math.round(untilMs - fromMs)} ms: its workspaces ${count(true, true)} made, ` +
      `${count(true, false)} refused; others ${count(false, true)} made, ` +
      `${count(false, false)} refused; all wrote again ${Math.round(firstAgainMs)} ms after its start`,
  );
  const faults = [];
  const others = during.map(({ status }) => status).filter((status) => ![0, 201, 409, 503].includes(status));
  if (others.length > 0) faults.push(`without node ${node}, answers were ${[...new Set(others)].join(', ')}`);
  if (refused.some(({ retryAfter }) => retryAfter === null))
    faults.push(`a 503 without node ${node} had no Retry-After`);
  if (node !== 0 && count(false, false) > 0) faults.push(`without node ${node}, workspaces elsewhere were refused`);
  return faults;
}

async function listAll(at: Service, { workspaceId, token }: Workspace): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}`, 'x-workspace-id': workspaceId };
  const ids: string[] = [];
  for (let path: string | undefined = `/v1/workspaces/${workspaceId}/tickets?limit=100`; path !== undefined; ) {
    const page = await call(at, 'GET', path, undefined, headers);
    if (page.status !== 200) throw new Error(`the list answered ${page.status}`);
    ids.push(...page.body.map(({ id }: { id: string }) => id));
    path = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
  }
  return ids;
}

async function faultsOf(at: Service, workspace: Workspace): Promise<string[]> {
  const { acknowledged, told } = workspace;
  const listed = await listAll(at, workspace);
  const known = new Set(listed);
  const lost = acknowledged.filter((id) => !known.has(id)).length;
  const doubled = listed.length - acknowledged.length;
  const untold = acknowledged.filter((id) => !told.includes(id)).length;
  const repeated = told.length - new Set(told).size;
  console.log(
    `${acknowledged.length} acknowledged: ${lost} lost, ${doubled} doubled, ${untold} untold, ${repeated} told twice`,
  );
  return lost + doubled + untold + repeated > 0 ? [`workspace ${workspace.workspaceId} is not as acknowledged`] : [];
}

const folder = await temporaryFolder();
const service = await startService(folder.path, {
  DATABASE_URL: databaseUrl,
  AUTH_SECRET: 'a'.repeat(48),
  ENCRYPTION_KEY: 'e'.repeat(48),
  RATE_LIMIT_PER_MINUTE: '100000',
  LOG_LEVEL: 'error',
});
const workspaces: Workspace[] = [];
for (let number = 0; number < workspacesMax; number++) workspaces.push(await register(service, number));
const reading = workspaces.map((workspace) => follow(service, workspace));
await sleep(1_000);
const writing = workspaces.map((workspace) => write(service, workspace));
const faults: string[] = [];
await sleep(quietMs);
for (const node of [1, 2, 0]) {
  faults.push(...tellOutage(await killAndStart(node, workspaces)));
  await sleep(quietMs);
}
isWriting = false;
await Promise.all(writing);
// The streams are at most some seconds behind.
await sleep(quietMs);
isReading = false;
await Promise.all(reading);
for (const workspace of workspaces) faults.push(...(await faultsOf(service, workspace)));
service.process.kill('SIGTERM');
await service.exited;
await folder.remove();
if (faults.length > 0) console.error(service.output().slice(-20_000));
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
