/**
 * Tries 500 sign-ins a second for 20 s while tickets are read, each for another account from another address. Measures
 * how much slower the reads become, and counts the answers to the sign-ins. `node bench/prove/login-flood.ts` starts a
 * service on a folder of its own. It exits with 1 if, in the median of three rounds, reads take over 3 times as long
 * (p99), or if a 5xx is not a 503 with `Retry-After`.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { startService } from '../../test/harness/service.ts';
import { temporaryFolder } from '../../test/harness/service-process.ts';

const signInsPerSecond = 500;
const readsPerSecond = 100;
const floodSeconds = 20;
const quietSeconds = 15;
const slowdownMax = 3;
/** The median round counts, since one stall of the machine decides the p99 of a few seconds. */
const rounds = 3;
const password = 'correct horse battery';

type Call = { url: string; method: string; headers: Record<string, string>; body?: string };
type Answer = { status: number; retryAfter: string | undefined; text: string; milliseconds: number };

const agent = new Agent({ keepAlive: true, maxSockets: 2_000 });

function ask({ url, method, headers, body }: Call): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(url, { method, agent, headers: { ...headers, ...type } }, (answer: IncomingMessage) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => {
        const { statusCode: status = 0, headers: said } = answer;
        resolve({ status, retryAfter: said['retry-after'], text, milliseconds: performance.now() - startedAt });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * Makes this many calls a second, whether or not earlier calls were answered. A call without an answer counts as status
 * 0.
 */
async function offer(perSecond: number, seconds: number, makeCall: (index: number) => Call): Promise<Answer[]> {
  const startedAt = performance.now();
  const answers: Promise<Answer>[] = [];
  for (let due = 0; due < perSecond * seconds; ) {
    due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
    while (answers.length < Math.min(due, perSecond * seconds)) {
      const lost: Answer = { status: 0, retryAfter: undefined, text: '', milliseconds: 0 };
      answers.push(ask(makeCall(answers.length)).catch(() => lost));
    }
    await sleep(2);
  }
  return Promise.all(answers);
}

function signIn(url: string, index: number): Call {
  // Every second sign-in names the existing account, to measure both paths.
  const email = index % 2 === 0 ? 'prove@example.org' : `nobody${index}@example.org`;
  const ip = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const body = JSON.stringify({ provider: 'local', email, password });
  return { url: `${url}/v1/auth/session`, method: 'POST', headers: { 'x-forwarded-for': ip }, body };
}

async function prepare(url: string): Promise<Call> {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
    JSON.parse((await ask({ url: `${url}${path}`, method: 'POST', headers, body: JSON.stringify(body) })).text);
  await post('/v1/auth/register', { email: 'prove@example.org', password });
  const session = await post('/v1/auth/session', { provider: 'local', email: 'prove@example.org', password });
  const workspaceId: string = session.workspace.id;
  const headers = { authorization: `Bearer ${session.accessToken}`, 'x-workspace-id': workspaceId };
  const tickets = `/v1/workspaces/${workspaceId}/tickets`;
  const ticket = await post(tickets, { subject: 'The printer hums', body: 'Quietly.' }, headers);
  return { url: `${url}${tickets}/${ticket.id}`, method: 'GET', headers };
}

function percentile(answers: Answer[], share: number): number {
  const sorted = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
}

function told(what: string, answers: Answer[]): void {
  const statuses = Map.groupBy(answers, ({ status }) => status);
  const counted = [...statuses].sort().map(([status, of]) => `${of.length} × ${status}`);
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(answers, share).toFixed(1));
  console.log(`${what.padEnd(28)}p50 ${p50} ms   p99 ${p99} ms   ${counted.join(', ')}`);
}

async function main(): Promise<void> {
  const folder = await temporaryFolder();
  const service = await startService(folder.path, {
    TRUST_PROXY: '127.0.0.1',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'warn',
  });
  try {
    const read = await prepare(service.url);
    // Loads before the measurement, because loading keeps a processor busy for long.
    const flood = new Worker(new URL(import.meta.url), { workerData: service.url });
    await once(flood, 'message');
    await offer(readsPerSecond, 5, () => read);
    const slowdowns: number[] = [];
    const all: Answer[] = [];
    for (let round = 0; round < rounds; round++) {
      const quiet = await offer(readsPerSecond, quietSeconds, () => read);
      told('reads, quiet', quiet);
      const flooded = once(flood, 'message') as Promise<[Answer[]]>;
      flood.postMessage('go');
      const under = await offer(readsPerSecond, floodSeconds, () => read);
      told('reads, under the flood', under);
      const [signIns] = await flooded;
      told('sign-ins', signIns);
      slowdowns.push(percentile(under, 0.99) / percentile(quiet, 0.99));
      all.push(...quiet, ...under, ...signIns);
      if (under.some(({ status }) => status !== 200)) process.exitCode = 1;
    }
    await flood.terminate();
    const bad = all.filter(
      ({ status, retryAfter }) => status === 0 || (status >= 500 && !(status === 503 && retryAfter !== undefined)),
    );
    const slowdown = slowdowns.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.POSITIVE_INFINITY;
    const each = slowdowns.map((times) => times.toFixed(1)).join(', ');
    console.log(
      `reads take ${each} times as long (p99), median ${slowdown.toFixed(1)}; ` +
        `${bad.length} answers are missing or wrong`,
    );
    if (slowdown > slowdownMax || bad.length > 0) process.exitCode = 1;
  } finally {
    service.process.kill('SIGTERM');
    await service.exited;
    await folder.remove();
    agent.destroy();
  }
}

if (isMainThread) await main();
else {
  const url = workerData as string;
  parentPort?.on('message', async () => {
    parentPort?.postMessage(await offer(signInsPerSecond, floodSeconds, (index) => signIn(url, index)));
  });
  parentPort?.postMessage('ready');
}
