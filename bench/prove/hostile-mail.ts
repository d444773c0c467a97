/**
 * Sends twenty mails of 30 MB by SMTP, built to be expensive to parse, to the service as `npm start` runs it. Measures
 * the longest hold of the event loop and the rise of resident memory. `node bench/prove/hostile-mail.ts` starts a
 * service on a folder of its own. It exits with 1 over the limits; the limit on holds counts processor time.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../test/harness/service.ts';
import { freePort, temporaryFolder } from '../../test/harness/service-process.ts';
import { sendMail } from '../../test/peers/smtp-client.ts';
import { hostileMail, hostileShapes } from './hostile-shapes.ts';
import type { Holds } from './watch-holds.ts';

const holdMsMax = 50;
const residentMbMax = 512;
const patienceMs = 300_000;

type Answer = { accessToken: string; workspace: { id: string } };

async function signIn(url: string): Promise<{ token: string; workspaceId: string }> {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    // An operation answers only some of these members, and callers check the member that they need.
    const answer = (await response.json()) as Answer;
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const credentials = { email: 'prove@example.org', password: 'a long enough secret' };
  await post('/v1/auth/register', credentials);
  const { accessToken, workspace } = await post('/v1/auth/session', { provider: 'local', ...credentials });
  return { token: accessToken, workspaceId: workspace.id };
}

const folder = await temporaryFolder();
const smtpPort = await freePort();
const holdsPath = join(folder.path, 'holds.json');
const preload = new URL('./watch-holds.ts', import.meta.url).href;
const service = await startService(join(folder.path, 'data'), {
  LOG_LEVEL: 'warn',
  EMAIL_VERIFICATION: 'off',
  SMTP_LISTEN: `127.0.0.1:${smtpPort}`,
  HOLDS_FILE: holdsPath,
  NODE_OPTIONS: `--import=${preload}`,
});
const statusOf = async (field: string) => {
  const status = await readFile(`/proc/${service.process.pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
};
const holds = async (): Promise<Holds> => {
  await sleep(1_100);
  return JSON.parse(await readFile(holdsPath, 'utf8'));
};
try {
  const { token, workspaceId } = await signIn(service.url);
  const get = async <Body>(path: string): Promise<Body> => {
    const headers = { authorization: `Bearer ${token}`, 'x-workspace-id': workspaceId };
    return (await fetch(`${service.url}/v1/workspaces/${workspaceId}${path}`, { headers })).json() as Promise<Body>;
  };
  const { address } = await get<{ address: string }>('/mail/inbound-address');
  const countTickets = async () => (await get<unknown[]>('/tickets?limit=100&count=false')).length;
  // By then the threads that hashed and rated the password have ended.
  await sleep(70_000);
  console.log(`before: resident ${(await statusOf('VmRSS')).toFixed(0)} MB`);
  let longest: Holds = { clockMs: 0, processorMs: 0 };
  for (const [at, shape] of hostileShapes.entries()) {
    service.process.kill('SIGUSR2');
    const startedAt = performance.now();
    const told = await sendMail(smtpPort, { to: [address], raw: hostileMail(shape, at) });
    if (!told.startsWith('250')) throw new Error(`${shape.name}: ${told}`);
    const storedMs = performance.now() - startedAt;
    while ((await countTickets()) <= at) {
      if (performance.now() - startedAt > patienceMs) throw new Error(`${shape.name}: no ticket`);
      await sleep(100);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const { clockMs, processorMs } = await holds();
    longest = { clockMs: Math.max(longest.clockMs, clockMs), processorMs: Math.max(longest.processorMs, processorMs) };
    const resident = `${(await statusOf('VmRSS')).toFixed(0)} MB, at most ${(await statusOf('VmHWM')).toFixed(0)}`;
    console.log(
      `${shape.name}: stored in ${(storedMs / 1000).toFixed(1)} s, a ticket in ${seconds.toFixed(1)} s; ` +
        `held ${processorMs.toFixed(0)} ms (by the clock ${clockMs.toFixed(0)}); resident ${resident}`,
    );
  }
  const mostMb = await statusOf('VmHWM');
  console.log(
    `longest hold ${longest.processorMs.toFixed(0)} ms (by the clock ${longest.clockMs.toFixed(0)}), ` +
      `limit ${holdMsMax}; resident at most ${mostMb.toFixed(0)} MB, limit ${residentMbMax}`,
  );
  if (longest.processorMs >= holdMsMax || mostMb >= residentMbMax) process.exitCode = 1;
} finally {
  service.process.kill('SIGTERM');
  await service.exited;
  await folder.remove();
}
