import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkspaceId } from '../../src/ground/lib/ids.ts';
import { readEvents } from '../../test/harness/event-reader.ts';
import { type Service, startService } from '../../test/harness/service.ts';
import { temporaryFolder } from '../../test/harness/service-process.ts';
import { call } from '../../test/worlds/factories.ts';
import { type ClusterNode, nodeOf } from '../cluster/cluster-nodes.ts';

const workspacesMax = 8;
const answerMsMax = 60_000;
/** The streams are at most some seconds behind. */
const behindMsMax = 10_000;
const password = 'correct horse battery';

export type Workspace = {
  workspaceId: WorkspaceId;
  token: string;
  /** The node that has its rows at the start. */
  node: ClusterNode;
  /** Acknowledged tickets. */
  acknowledged: string[];
  /** Tickets that the stream told of. */
  told: string[];
};

/** An answer to an attempt. Status 0: none came. */
export type Answer = { atMs: number; tookMs: number; node: number; status: number; retryAfter: string | null };

/** Eight workspaces that write tickets without pause, each followed by a stream, and the answers that they got. */
export type Ledger = {
  workspaces: readonly Workspace[];
  answers: readonly Answer[];
  /** The service's printed lines. */
  output(): string;
  /** Ends the writers, lets the streams catch up, and ends the service. @returns a sentence for each fault */
  close(): Promise<string[]>;
};

/** Starts a process of the service, and its writers. */
export async function openLedger(databaseUrl: string): Promise<Ledger> {
  const folder = await temporaryFolder();
  const service = await startService(folder.path, {
    DATABASE_URL: databaseUrl,
    AUTH_SECRET: 'a'.repeat(48),
    ENCRYPTION_KEY: 'e'.repeat(48),
    RATE_LIMIT_PER_MINUTE: '100000',
    LOG_LEVEL: 'error',
  });
  const going: Going = { isWriting: true, isReading: true, answers: [] };
  const workspaces: Workspace[] = [];
  for (let number = 0; number < workspacesMax; number++) workspaces.push(await register(service, databaseUrl, number));
  const reading = workspaces.map((workspace) => follow(service, workspace, going));
  await sleep(1_000);
  const writing = workspaces.map((workspace) => write(service, workspace, going));
  return {
    workspaces,
    answers: going.answers,
    output: service.output,
    close: async () => {
      going.isWriting = false;
      await Promise.all(writing);
      await sleep(behindMsMax);
      going.isReading = false;
      await Promise.all(reading);
      const faults: string[] = [];
      for (const workspace of workspaces) faults.push(...(await faultsOf(service, workspace)));
      service.process.kill('SIGTERM');
      await service.exited;
      await folder.remove();
      return faults;
    },
  };
}

type Going = { isWriting: boolean; isReading: boolean; answers: Answer[] };

async function register(at: Service, databaseUrl: string, number: number): Promise<Workspace> {
  const account = { email: `ledger-${number}-${randomUUID()}@example.org`, password };
  const registered = await call(at, 'POST', '/v1/auth/register', account);
  if (registered.status !== 201) throw new Error(`registering answered ${registered.status}`);
  const { body } = await call(at, 'POST', '/v1/auth/session', { provider: 'local', ...account });
  const workspaceId: WorkspaceId = body.workspace.id;
  return {
    workspaceId,
    token: body.accessToken,
    node: await nodeOf(databaseUrl, workspaceId),
    acknowledged: [],
    told: [],
  };
}

/** Writes tickets one after the other. A ticket whose answer is missing or says "later" is sent again with its key. */
async function write(at: Service, workspace: Workspace, going: Going): Promise<void> {
  while (going.isWriting) {
    const key = randomUUID();
    for (;;) {
      const fromMs = performance.now();
      const { status, body, retryAfter } = await attempt(at, workspace, key);
      const atMs = performance.now();
      going.answers.push({ atMs, tookMs: atMs - fromMs, node: workspace.node.group, status, retryAfter });
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
async function follow(at: Service, workspace: Workspace, going: Going): Promise<void> {
  let lastEventId: string | undefined;
  while (going.isReading) {
    const reader = await readEvents(at, workspace, lastEventId === undefined ? {} : { lastEventId }).catch(() => null);
    if (reader === null || reader.status !== 200) {
      reader?.close();
      await sleep(500);
      continue;
    }
    while (going.isReading && (await Promise.race([reader.ended.then(() => false), sleep(250, true)])));
    reader.close();
    const made = reader.events.filter(({ data }) => data.type === 'ticket.created');
    workspace.told.push(...made.map(({ data }) => data.ticketId));
    if (reader.lastEventId() !== '') lastEventId = reader.lastEventId();
  }
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
