/**
 * Measures how soon `/livez` answers while 300 clients request a ticket of 2.4 MB at once and do not read the answer,
 * and the service's memory meanwhile. `node bench/prove/big-reads.ts` starts the service on a folder of its own. It
 * exits with 1 if a probe took over a second.
 */
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../test/harness/service.ts';
import { temporaryFolder } from '../../test/harness/service-process.ts';

const clients = 300;
const notes = 12;
const noteChars = 190_000;
const probeMs = 50;
const watchMs = 15_000;
const probeMsMax = 1_000;

type Answer = { id: string; accessToken: string; workspace: { id: string } };

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Partial<Answer>> {
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  const response = await fetch(url, options);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return (await response.json()) as Partial<Answer>;
}

/** @returns the head of a request for a large ticket */
async function makeTicket(url: string): Promise<string> {
  const credentials = { email: 'prove@example.org', password: 'a long enough secret' };
  await post(`${url}/v1/auth/register`, credentials);
  const session = await post(`${url}/v1/auth/session`, { provider: 'local', ...credentials });
  const workspaceId = session.workspace?.id ?? '';
  const headers = { authorization: `Bearer ${session.accessToken}`, 'x-workspace-id': workspaceId };
  const tickets = `${url}/v1/workspaces/${workspaceId}/tickets`;
  const { id } = await post(tickets, { subject: 'Large', body: 'b' }, headers);
  const body = 'The quick brown fox jumps. '.repeat(noteChars / 27);
  for (let note = 0; note < notes; note++) await post(`${tickets}/${id}/messages`, { body, isInternal: true }, headers);
  const fields = Object.entries({ host: new URL(url).host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `GET ${new URL(`${tickets}/${id}`).pathname} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`;
}

/** Sends a request and never reads the answer. */
function ask(url: string, head: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {}).pause();
  socket.write(head);
  return socket;
}

async function residentMb(pid: number): Promise<number> {
  return Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

const folder = await temporaryFolder();
const service = await startService(folder.path, { LOG_LEVEL: 'warn', EMAIL_VERIFICATION: 'off' });
try {
  const head = await makeTicket(service.url);
  const before = await residentMb(service.process.pid ?? 0);
  const sockets = Array.from({ length: clients }, () => ask(service.url, head));
  const waits: number[] = [];
  let most = before;
  const until = performance.now() + watchMs;
  while (performance.now() < until) {
    const askedAt = performance.now();
    await (await fetch(`${service.url}/livez`)).text();
    waits.push(performance.now() - askedAt);
    most = Math.max(most, await residentMb(service.process.pid ?? 0));
    await sleep(probeMs);
  }
  for (const socket of sockets) socket.destroy();
  const sorted = waits.toSorted((a, b) => a - b);
  const longest = sorted.at(-1) ?? 0;
  const median = sorted[waits.length >> 1]?.toFixed(0);
  console.log(`/livez: ${waits.length} probes, median ${median} ms, longest ${longest.toFixed(0)} ms`);
  console.log(`resident memory: ${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at most`);
  if (longest > probeMsMax) process.exitCode = 1;
} finally {
  service.process.kill('SIGTERM');
  await service.exited;
  await folder.remove();
}
