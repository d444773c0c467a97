/**
 * Measures how a workspace that sends many mails through a slow mail server affects other workspaces. `node
 * bench/prove/neighbours.ts` starts the service, and a mail server that takes a second for each mail. It times another
 * workspace: incoming mail to ticket, a password reset link, and an answer. First nothing else runs; then the first
 * workspace has 10,000 answers to send (`--mails 1000` for fewer). Exits with 1 if the median of incoming mail or of
 * links more than doubles, unless it stays below 200 ms.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startService } from '../../test/harness/service.ts';
import { freePort, temporaryFolder } from '../../test/harness/service-process.ts';
import { sendMail } from '../../test/peers/smtp-client.ts';
import { openSmtpPeer } from '../../test/peers/smtp-peer.ts';

const { values } = parseArgs({ options: { mails: { type: 'string', default: '10000' } } });
const mails = Number(values.mails);
const mailSeconds = 1;
const rounds = 15;
const askAtOnce = 8;
const patienceMs = 60_000;
const slowdownMax = 2;
const wellMsMax = 200;

type Member = { email: string; call<Body>(method: string, path: string, body?: object): Promise<Body> };

/** Recipients whose mail the server has accepted, a second after it arrived. */
const delivered = new Set<string>();
const peer = await openSmtpPeer(async (step, { to }) => {
  if (step === 'dot') await sleep(mailSeconds * 1_000);
  if (step === 'taken') for (const email of to) delivered.add(email);
  return undefined;
});
const folder = await temporaryFolder();
const smtpPort = await freePort();
const service = await startService(folder.path, {
  LOG_LEVEL: 'error',
  EMAIL_VERIFICATION: 'off',
  RATE_LIMIT_PER_MINUTE: '0',
  NEW_RECIPIENTS_PER_DAY: '0',
  SMTP_URL: peer.url,
  SMTP_LISTEN: `127.0.0.1:${smtpPort}`,
  MAIL_FROM: 'support@kontor.example',
});

async function join(email: string): Promise<Member> {
  const credentials = { email, password: 'a long enough secret' };
  await ask('POST', '/v1/auth/register', credentials);
  const session = await ask<{ accessToken: string; workspace: { id: string } }>('POST', '/v1/auth/session', {
    provider: 'local',
    ...credentials,
  });
  const { id } = session.workspace;
  const headers = { authorization: `Bearer ${session.accessToken}`, 'x-workspace-id': id };
  return { email, call: (method, path, body) => ask(method, `/v1/workspaces/${id}${path}`, body, headers) };
}

async function ask<Body>(method: string, path: string, body?: object, headers: object = {}): Promise<Body> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  // Each caller knows the answer of its operation.
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}

const mailTo = (member: Member, email: string) =>
  member.call('POST', '/tickets', { subject: 'News', body: 'b', sendEmail: true, toAddresses: [email] });

async function until(isThere: () => boolean | Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  while (!(await isThere())) {
    if (performance.now() - startedAt > patienceMs) return patienceMs;
    await sleep(10);
  }
  return performance.now() - startedAt;
}

let marks = 0;

/** Median times in milliseconds. */
async function measure(quiet: Member, inbound: string): Promise<Record<'incoming' | 'link' | 'answer', number>> {
  const taken = { incoming: [] as number[], link: [] as number[], answer: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const mark = `m${++marks}`;
    const raw = Buffer.from(
      `From: ann@example.org\r\nSubject: ${mark}\r\nMessage-ID: <${mark}@example.org>\r\n\r\nHello\r\n`,
    );
    await sendMail(smtpPort, { to: [inbound], raw });
    taken.incoming.push(
      await until(async () => {
        const listed = await quiet.call<{ subject: string }[]>('GET', '/tickets?limit=20&count=false');
        return listed.some(({ subject }) => subject === mark);
      }),
    );
    // An account may request only one link a minute.
    const person = `${mark}@people.example`;
    await ask('POST', '/v1/auth/register', { email: person, password: 'a long enough secret' });
    await ask('POST', '/v1/auth/forgot-password', { email: person });
    taken.link.push(await until(() => delivered.has(person)));
    await mailTo(quiet, `${mark}@example.net`);
    taken.answer.push(await until(() => delivered.has(`${mark}@example.net`)));
  }
  const median = (all: number[]) => Math.round(all.sort((a, b) => a - b)[all.length >> 1] ?? 0);
  return { incoming: median(taken.incoming), link: median(taken.link), answer: median(taken.answer) };
}

try {
  const [noisy, quiet] = [await join('noisy@example.org'), await join('quiet@example.org')];
  const { address } = await quiet.call<{ address: string }>('GET', '/mail/inbound-address');
  const before = await measure(quiet, address);
  console.log('quiet, median ms:', before);
  let asked = 0;
  const send = async () => {
    while (asked < mails) await mailTo(noisy, `customer-${asked++}@slow.example`);
  };
  await Promise.all(Array.from({ length: askAtOnce }, send));
  const during = await measure(quiet, address);
  console.log(`while ${mails} mails wait, median ms:`, during);
  const sent = [...delivered].filter((email) => email.endsWith('@slow.example')).length;
  console.log(`${sent} of the ${mails} were delivered by then`);
  for (const what of ['incoming', 'link'] as const) {
    if (during[what] > Math.max(slowdownMax * before[what], wellMsMax)) process.exitCode = 1;
  }
} finally {
  service.process.kill('SIGTERM');
  await service.exited;
  await peer.close();
  await folder.remove();
}
