/**
 * Measures how long strangers and tenants can hold the event loop. First in this process: mails and HTML of the size
 * that the service reads in place. Then against a service on its own folder: mails of 64 kB while another workspace
 * gets ordinary mail, requests with HTML of 1 MB, and answers that quote a mail of 1 MB.
 * `node bench/prove/hostile-holds.ts` exits with 1 over the limits.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { htmlToText } from '@kontor/mail/html/html-text.ts';
import { sanitizeHtml } from '../../src/ground/lib/html/sanitize.ts';
import { readMail } from '../../src/transport/mailflow/understand.ts';
import { startService } from '../../test/harness/service.ts';
import { freePort, temporaryFolder } from '../../test/harness/service-process.ts';
import { sendMail } from '../../test/peers/smtp-client.ts';
import { denseShapes, hostileMail } from './hostile-shapes.ts';
import type { Holds } from './watch-holds.ts';

const holdMsMax = 200;
const inPlaceBytes = 16 * 1024;
const mailBytes = 64_000;
const htmlChars = 1_000_000;
const ordinaryMails = 20;

type Answer = { accessToken: string; workspace: { id: string } };
type Member = { call<Body>(method: string, path: string, body?: object): Promise<Body> };

/** Time of the processor: the longest of the shortest of three runs of each shape. */
async function inPlaceMs(): Promise<string> {
  const longest: { name: string; ms: number } = { name: '', ms: 0 };
  for (const [at, shape] of denseShapes(inPlaceBytes).entries()) {
    const bytes = hostileMail(shape, at).subarray(0, inPlaceBytes);
    const html = bytes.toString('latin1');
    const works = [
      () => readMail({ ...place, bytes }),
      async () => htmlToText(sanitizeHtml(html, { keepsMentions: true })),
    ];
    for (const work of works) {
      let shortest = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 3; run++) {
        const begin = process.threadCpuUsage();
        await work();
        const { user, system } = process.threadCpuUsage(begin);
        shortest = Math.min(shortest, (user + system) / 1_000);
      }
      if (shortest > longest.ms) Object.assign(longest, { name: shape.name, ms: shortest });
    }
  }
  return `in place, ${inPlaceBytes} bytes: at most ${longest.ms.toFixed(0)} ms (${longest.name})`;
}

const place = {
  sha256: '',
  origin: 'live' as const,
  mailboxId: null,
  receivedAt: new Date(),
  envelope: { from: null, to: [] },
  hosted: null,
};

async function register(url: string, email: string): Promise<Member> {
  const send = async (path: string, { method, body, headers = {} }: Sent) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok && response.status !== 503)
      throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const credentials = { email, password: 'a long enough secret' };
  await send('/v1/auth/register', { method: 'POST', body: credentials });
  // An operation answers only some of these members, and callers check the member that they need.
  const signedIn = { method: 'POST', body: { provider: 'local', ...credentials } };
  const { accessToken, workspace } = (await send('/v1/auth/session', signedIn)) as Answer;
  const headers = { authorization: `Bearer ${accessToken}`, 'x-workspace-id': workspace.id };
  return {
    call: async <Body>(method: string, path: string, body?: object) =>
      (await send(`/v1/workspaces/${workspace.id}${path}`, { method, body, headers })) as Body,
  };
}

type Sent = { method: string; body?: object | undefined; headers?: Record<string, string> };

console.log(await inPlaceMs());
const folder = await temporaryFolder();
const smtpPort = await freePort();
const holdsPath = join(folder.path, 'holds.json');
const service = await startService(join(folder.path, 'data'), {
  LOG_LEVEL: 'warn',
  EMAIL_VERIFICATION: 'off',
  RATE_LIMIT_PER_MINUTE: '0',
  SMTP_LISTEN: `127.0.0.1:${smtpPort}`,
  HOLDS_FILE: holdsPath,
  NODE_OPTIONS: `--import=${new URL('./watch-holds.ts', import.meta.url).href}`,
});
const holds = async (): Promise<Holds> => {
  await sleep(1_100);
  const found: Holds = JSON.parse(await readFile(holdsPath, 'utf8'));
  service.process.kill('SIGUSR2');
  return found;
};
let longestMs = 0;
const note = async (what: string, detail: string) => {
  const { processorMs, clockMs } = await holds();
  longestMs = Math.max(longestMs, processorMs);
  console.log(`${what}: held ${processorMs.toFixed(0)} ms (by the clock ${clockMs.toFixed(0)}); ${detail}`);
};
try {
  const [hostile, quiet] = [
    await register(service.url, 'eve@example.org'),
    await register(service.url, 'ann@example.org'),
  ];
  const addressOf = async (member: Member) =>
    (await member.call<{ address: string }>('GET', '/mail/inbound-address')).address;
  const [hostileAddress, quietAddress] = [await addressOf(hostile), await addressOf(quiet)];
  const countOf = async (member: Member) =>
    (await member.call<unknown[]>('GET', '/tickets?limit=100&count=false')).length;
  let sent = 0;
  /** Milliseconds from an ordinary mail to its ticket: the median. */
  const latency = async () => {
    const times: number[] = [];
    for (let mail = 0; mail < ordinaryMails; mail++) {
      const before = await countOf(quiet);
      const begin = performance.now();
      const head = `From: Bob <bob@b.example>\r\nSubject: Mail ${++sent}\r\nMessage-ID: <${sent}@b.example>\r\n\r\n`;
      await sendMail(smtpPort, { to: [quietAddress], raw: Buffer.from(head + 'Hello there\r\n'.repeat(200)) });
      while ((await countOf(quiet)) <= before) await sleep(10);
      times.push(performance.now() - begin);
    }
    return times.sort((one, other) => one - other)[ordinaryMails / 2] ?? 0;
  };
  await latency();
  await holds();
  const quietMs = await latency();
  await note('quiet', `an ordinary mail takes ${quietMs.toFixed(0)} ms`);
  const shapes = denseShapes(mailBytes);
  const sending = (async () => {
    for (const [at, shape] of shapes.entries())
      await sendMail(smtpPort, { to: [hostileAddress], raw: hostileMail(shape, at).subarray(0, mailBytes) });
  })();
  const besideMs = await latency();
  await sending;
  while ((await countOf(hostile)) < shapes.length) await sleep(100);
  await note(`${shapes.length} mails of ${mailBytes} bytes`, `an ordinary mail takes ${besideMs.toFixed(0)} ms`);
  for (const shape of denseShapes(htmlChars).slice(0, 9)) {
    const bodyHtml = `<p>Hello</p>${shape.body()}`.slice(0, htmlChars);
    const begin = performance.now();
    await hostile.call('POST', '/tickets', { subject: shape.name, requester: { email: 'x@y.example' }, bodyHtml });
    const answeredMs = performance.now() - begin;
    await note(`a request: ${shape.name}`, `answered in ${answeredMs.toFixed(0)} ms`);
  }
  const before = await countOf(hostile);
  for (const [at, shape] of denseShapes(htmlChars).slice(0, 9).entries()) {
    const raw = hostileMail(shape, 1_000 + at).subarray(0, htmlChars);
    await sendMail(smtpPort, { to: [hostileAddress], raw });
    while ((await countOf(hostile)) <= before + at) await sleep(100);
    const [newest] = await hostile.call<{ id: string }[]>('GET', '/tickets?limit=1&count=false');
    await holds();
    const answer = {
      bodyHtml: '<p>Hello</p>',
      sendEmail: true,
      quote: 'last',
      toAddresses: [`eve${1_000 + at}@evil.example`],
    };
    await hostile.call('POST', `/tickets/${newest?.id}/messages`, answer);
    await note(`an answer that quotes: ${shape.name}`, 'and its mail');
  }
  console.log(`longest hold ${longestMs.toFixed(0)} ms, limit ${holdMsMax}`);
  if (longestMs >= holdMsMax || besideMs > 2 * quietMs) process.exitCode = 1;
} finally {
  service.process.kill('SIGTERM');
  await service.exited;
  await folder.remove();
}
