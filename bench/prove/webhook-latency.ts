/**
 * Sends notifications of both mail providers at 1,000 a second, for 20 mailboxes. Measures how long each waits for its
 * 202, and checks that its commit came first. Then kills the database in the middle, and after that suspends it, for 5
 * s each. `node bench/prove/webhook-latency.ts` starts a service and a database on folders of their own. It exits with
 * 1 if p99 is 50 ms or more, if an answer is neither 202 nor a 503 with `Retry-After`, or if the database lacks an
 * acknowledged notification.
 */
import { existsSync, readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openIdentityEmulator } from '../../emulators/identity.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/ground/embedded-postgres/embedded-postgres.ts';
import { newId } from '../../src/ground/lib/ids.ts';
import { openLog } from '../../src/ground/platform/log.ts';
import { type Service, startService } from '../../test/harness/service.ts';
import { temporaryFolder } from '../../test/harness/service-process.ts';

const perSecond = 1_000;
const quietSeconds = 20;
const outageSeconds = 5;
const p99Max = 50;
const mailboxes = 20;
const secret = 'x'.repeat(32);
const audience = 'https://kontor.example.org/v1/webhooks/mail-b';
const serviceAccount = 'push@kontor.iam.gserviceaccount.com';

type Notification = { mailbox: string; path: string; headers: Record<string, string>; body: string };
/** Status 0: no answer. Times are by the wall clock, as in the database. */
type Answer = {
  mailbox: string;
  status: number;
  retryAfter: string | undefined;
  sentAt: number;
  endedAt: number;
  milliseconds: number;
};

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

function send(url: string, { mailbox, path, headers, body }: Notification): Promise<Answer> {
  const sentAt = Date.now();
  const startedAt = performance.now();
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const end = (answer?: IncomingMessage) =>
    resolve({
      mailbox,
      status: answer?.statusCode ?? 0,
      retryAfter: answer?.headers['retry-after'],
      sentAt,
      endedAt: Date.now() + 1,
      milliseconds: performance.now() - startedAt,
    });
  const type = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  request(`${url}${path}`, { method: 'POST', agent, headers: { ...headers, ...type } })
    .on('response', (answer: IncomingMessage) => answer.resume().on('end', () => end(answer)))
    .on('error', () => end())
    .end(body);
  return promise;
}

/** Sends this many a second, even while earlier notifications wait for their answer. */
async function offer(
  url: string,
  seconds: number,
  makeNotification: (index: number) => Notification,
): Promise<Answer[]> {
  const startedAt = performance.now();
  const answers: Promise<Answer>[] = [];
  const total = perSecond * seconds;
  while (answers.length < total) {
    const due = Math.min(total, ((performance.now() - startedAt) / 1_000) * perSecond);
    while (answers.length < due) answers.push(send(url, makeNotification(answers.length)));
    await sleep(1);
  }
  return Promise.all(answers);
}

/**
 * Makes connected mailboxes, and a trigger that lists every commit that queues work for a mailbox. The jobs themselves
 * do not show this, since jobs fold and workers take them.
 */
async function prepare(client: pg.Client): Promise<string[]> {
  const workspaceId = newId();
  await client.query(`insert into workspaces (id, name, created_at) values ($1, 'Prove', now())`, [workspaceId]);
  const ids = Array.from({ length: mailboxes }, () => newId());
  for (const [index, id] of ids.entries()) {
    const provider = providerOf(index);
    const address = `${id}@example.org`;
    await client.query(
      `insert into mailboxes (workspace_id, id, provider, address, address_key, status, status_changed_at, connected_at,
         created_at, updated_at)
       values ($1, $2, $3, $4, $4, 'active', now(), now(), now(), now())`,
      [workspaceId, id, provider, address],
    );
    await client.query(
      'insert into mailbox_routes (provider, route_key, workspace_id, mailbox_id) values ($1, $2, $3, $4)',
      [provider, provider === 'mail-a' ? id : address, workspaceId, id],
    );
    await client.query('insert into mailbox_syncs (workspace_id, mailbox_id) values ($1, $2)', [workspaceId, id]);
  }
  await client.query(`
    create table prove_commits (mailbox_id uuid not null, begun_at timestamptz not null);
    create function prove_commit() returns trigger language plpgsql as $$
      begin
        insert into prove_commits values (new.mailbox_id, now());
        return null;
      end $$;
    create trigger prove_commit after update on mailbox_syncs for each row execute function prove_commit()`);
  return ids;
}

const providerOf = (index: number) => (index % 2 === 0 ? 'mail-a' : 'mail-b');

function notifications(ids: string[], token: string): (index: number) => Notification {
  const made = ids.map((mailbox, index): Notification => {
    if (providerOf(index) === 'mail-a') {
      const resource = `Users/${newId()}/Messages/AAMkAD`;
      const item = { subscriptionId: mailbox, clientState: secret, changeType: 'created', tenantId: newId(), resource };
      const value = [{ ...item, resourceData: { '@odata.id': resource, id: 'AAMkAD' } }];
      return { mailbox, path: '/v1/webhooks/mail-a', headers: {}, body: JSON.stringify({ value }) };
    }
    const data = Buffer.from(JSON.stringify({ emailAddress: `${mailbox}@example.org`, historyId: '42' })).toString(
      'base64',
    );
    const body = JSON.stringify({ message: { data, messageId: '1' }, subscription: 'projects/p/subscriptions/s' });
    return { mailbox, path: '/v1/webhooks/mail-b', headers: { authorization: `Bearer ${token}` }, body };
  });
  return (index) => made[index % made.length] as Notification; // The list is never empty.
}

/** @returns how many were acknowledged without a commit for their mailbox that ran between request and answer */
async function countLost(url: string, answers: Answer[]): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ mailbox: string; at: number[] }>(`
    select mailbox_id as mailbox, array_agg(extract(epoch from begun_at)::float8 * 1000 order by begun_at) as at
    from prove_commits
    group by mailbox_id`);
  await client.end();
  const commits = new Map(rows.map(({ mailbox, at }) => [mailbox, at]));
  const isKept = ({ mailbox, sentAt, endedAt }: Answer) =>
    commits.get(mailbox)?.some((at) => at >= sentAt && at <= endedAt) ?? false;
  return answers.filter((answer) => answer.status === 202 && !isKept(answer)).length;
}

function percentile(answers: Answer[], share: number): number {
  const sorted = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
}

function told(what: string, answers: Answer[], lost: number): void {
  const statuses = [...Map.groupBy(answers, ({ status }) => status)].sort(([a], [b]) => a - b);
  const counted = statuses.map(([status, { length }]) => `${length} × ${status}`).join(', ');
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(answers, share).toFixed(1));
  const load = loadavg()[0]?.toFixed(1);
  console.log(
    `${what.padEnd(24)}p50 ${p50} ms   p99 ${p99} ms   most ${most} ms   ${counted}   ${lost} lost   (load ${load})`,
  );
}

/** All processes of PostgreSQL, the postmaster first. */
function processesOf({ directory }: EmbeddedPostgres): number[] {
  const leader = Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const children = `/proc/${leader}/task/${leader}/children`;
  return [
    leader,
    ...(existsSync(children) ? readFileSync(children, 'utf8').split(' ').filter(Boolean).map(Number) : []),
  ];
}

function signalAll(processes: number[], signal: NodeJS.Signals): void {
  for (const pid of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended.
    }
  }
}

const faults: string[] = [];
const log = openLog('error');
const [serviceFolder, databaseFolder] = [await temporaryFolder(), await temporaryFolder()];
const identities = await openIdentityEmulator();
let postgres = await startEmbeddedPostgres({ dataDir: databaseFolder.path, log });
const { url: databaseUrl } = postgres;
let service: Service | undefined;

try {
  service = await startService(serviceFolder.path, {
    DATABASE_URL: databaseUrl,
    AUTH_SECRET: secret,
    ENCRYPTION_KEY: secret,
    // Nobody reads the mailboxes, so that the measurement sees only the acceptance of notifications.
    ROLES: 'api',
    LOG_LEVEL: 'fatal',
    MAIL_A_WEBHOOK_SECRET: secret,
    MAIL_B_PUSH_AUDIENCE: audience,
    MAIL_B_PUSH_JWKS_URI: `${identities.url}/oauth2/v3/certs`,
    MAIL_B_PUSH_SERVICE_ACCOUNT: serviceAccount,
  });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const ids = await prepare(client);
  await client.end();
  const claims = { iss: 'https://accounts.google.com', aud: audience, email: serviceAccount };
  const notification = notifications(ids, identities.mint({ family: 'google', claims }));
  await offer(service.url, 3, notification);

  const quiet = await offer(service.url, quietSeconds, notification);
  await prove('the database is there', quiet, false);
  if (percentile(quiet, 0.99) >= p99Max) faults.push(`p99 is ${percentile(quiet, 0.99).toFixed(1)} ms`);

  const underKill = offer(service.url, outageSeconds * 3, notification);
  await sleep(outageSeconds * 1_000);
  signalAll(processesOf(postgres), 'SIGKILL');
  await sleep(outageSeconds * 1_000);
  await postgres.stop();
  postgres = await startEmbeddedPostgres({ dataDir: databaseFolder.path, log });
  if (postgres.url !== databaseUrl) throw new Error('the database came back at another address');
  await prove('killed for 5 s', await underKill, true);

  const underHold = offer(service.url, outageSeconds * 3, notification);
  await sleep(outageSeconds * 1_000);
  const held = processesOf(postgres);
  signalAll(held, 'SIGSTOP');
  await sleep(outageSeconds * 1_000);
  signalAll(held, 'SIGCONT');
  await prove('held up for 5 s', await underHold, true);
} finally {
  service?.process.kill('SIGTERM');
  await service?.exited;
  await postgres.stop();
  await identities.close();
  agent.destroy();
  await serviceFolder.remove();
  await databaseFolder.remove();
}
for (const fault of faults) console.log(`wrong: ${fault}`);
if (faults.length > 0) process.exitCode = 1;

async function prove(what: string, answers: Answer[], mayRefuse: boolean): Promise<void> {
  const lost = await countLost(databaseUrl, answers);
  told(what, answers, lost);
  const refused = answers.filter(({ status }) => status !== 202);
  const bad = refused.filter(({ status, retryAfter }) => !mayRefuse || status !== 503 || retryAfter === undefined);
  if (lost > 0) faults.push(`${what}: ${lost} were acknowledged and are not there`);
  if (bad.length > 0) faults.push(`${what}: ${bad.length} answers are missing or no good`);
  if (mayRefuse && refused.length === 0) faults.push(`${what}: none was refused, so nothing is shown`);
  if (answers.at(-1)?.status !== 202) faults.push(`${what}: it did not recover`);
}
