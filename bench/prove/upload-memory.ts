/**
 * Uploads ten files of 25 MiB at once to the service as `npm start` runs it, and measures the rise of its resident
 * memory. `node bench/prove/upload-memory.ts` starts a service on a folder of its own, and exits with 1 over the limit.
 */
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { setInterval, setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../test/service.ts';
import { temporaryFolder } from '../../test/service-process.ts';

const uploadsAtOnce = 10;
const rounds = 3;
const fileBytes = 25 * 1024 * 1024;
const chunk = Buffer.alloc(64 * 1024, 'Kontor ');
const riseMbMax = 150;
const sampleMs = 20;
const settleMs = 3_000;

type Caller = { url: string; token: string; workspaceId: string; ticketId: string };

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

type Answer = { id: string; accessToken: string; workspace: { id: string } };

async function post(
  url: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Partial<Answer>> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  // An operation answers only some of these members, and callers check the member that they need.
  const answer = (await response.json()) as Partial<Answer>;
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

async function signIn(url: string): Promise<Caller> {
  const credentials = { email: 'prove@example.org', password: 'a long enough secret' };
  await post(url, '/v1/auth/register', credentials);
  const { accessToken: token = '', workspace = { id: '' } } = await post(url, '/v1/auth/session', {
    provider: 'local',
    ...credentials,
  });
  const headers = { authorization: `Bearer ${token}`, 'x-workspace-id': workspace.id };
  const ticket = await post(url, `/v1/workspaces/${workspace.id}/tickets`, { subject: 'Files', body: 'b' }, headers);
  return { url, token, workspaceId: workspace.id, ticketId: ticket.id ?? '' };
}

/** Streams a file with unique content, and holds at most one chunk of it. */
async function uploadOne({ url, token, workspaceId, ticketId }: Caller, name: string): Promise<void> {
  const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${name.padEnd(32)}`;
  const sent = request(`${url}/v1/workspaces/${workspaceId}/tickets/${ticketId}/attachments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'x-workspace-id': workspaceId,
      'content-type': 'multipart/form-data; boundary=b',
    },
  });
  const answered = new Promise<number>((resolve, reject) => {
    sent.on('error', reject).on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
  });
  sent.write(head);
  for (let left = fileBytes - 32; left > 0; left -= chunk.length) {
    if (!sent.write(chunk.subarray(0, left))) await new Promise((resolve) => sent.once('drain', resolve));
  }
  sent.end('\r\n--b--\r\n');
  const status = await answered;
  if (status !== 201) throw new Error(`an upload was answered ${status}`);
}

async function measure(pid: number, work: () => Promise<void>): Promise<{ beforeMb: number; mostMb: number }> {
  const beforeMb = await residentMb(pid);
  let mostMb = beforeMb;
  const stop = new AbortController();
  const sampling = (async () => {
    for await (const _tick of setInterval(sampleMs, undefined, { signal: stop.signal }))
      mostMb = Math.max(mostMb, await residentMb(pid));
  })().catch(() => {});
  await work();
  stop.abort();
  await sampling;
  return { beforeMb, mostMb };
}

const folder = await temporaryFolder();
const service = await startService(folder.path, { LOG_LEVEL: 'warn', EMAIL_VERIFICATION: 'off' });
try {
  const caller = await signIn(service.url);
  const pid = service.process.pid ?? 0;
  await sleep(settleMs);
  const { beforeMb } = await measure(pid, async () => {});
  let mostMb = beforeMb;
  for (let round = 1; round <= rounds; round++) {
    const startedAt = performance.now();
    const names = Array.from({ length: uploadsAtOnce }, (_, at) => `round-${round}-file-${at}.bin`);
    const measured = await measure(pid, async () => {
      await Promise.all(names.map((name) => uploadOne(caller, name)));
    });
    mostMb = Math.max(mostMb, measured.mostMb);
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(
      `round ${round}: ${uploadsAtOnce} × ${fileBytes / 1024 ** 2} MiB in ${seconds.toFixed(1)} s; ` +
        `resident ${measured.beforeMb.toFixed(0)} MB before, ${measured.mostMb.toFixed(0)} MB at most`,
    );
  }
  const riseMb = mostMb - beforeMb;
  console.log(
    `before ${beforeMb.toFixed(0)} MB, at most ${mostMb.toFixed(0)} MB: ` +
      `+${riseMb.toFixed(0)} MB; limit +${riseMbMax} MB`,
  );
  if (riseMb >= riseMbMax) process.exitCode = 1;
} finally {
  service.process.kill('SIGTERM');
  await service.exited;
  await folder.remove();
}
