/**
 * Checks that answers do not reveal which addresses have an account, with email verification required. Each route gets
 * 200 requests with known and 200 with unknown addresses, in random order. Answers must be equal and equally fast
 * (medians within 5 %). `node bench/prove/enumeration.ts` starts a service on a folder of its own, and exits with 1 if
 * they differ.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../test/harness/service.ts';
import { temporaryFolder } from '../../test/harness/service-process.ts';

const triesEach = 200;
const differenceMax = 0.05;
const warmUps = 20;
const password = 'correct horse battery';

type Try = { path: string; body: (email: string) => object };

const tries: Record<string, Try> = {
  register: { path: 'register', body: (email) => ({ email, password }) },
  session: { path: 'session', body: (email) => ({ provider: 'local', email, password: 'not the right one' }) },
  forgot: { path: 'forgot-password', body: (email) => ({ email }) },
  resend: { path: 'resend-verification', body: (email) => ({ email }) },
};

type Answer = { told: string; milliseconds: number };

async function ask(url: string, { path, body }: Try, email: string, ip: string): Promise<Answer> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/v1/auth/${path}`, {
    method: 'POST',
    // A new address for each request, so that the limits on guessing do not interfere.
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify(body(email)),
  });
  const text = await response.text();
  return { told: `${response.status} ${text}`, milliseconds: performance.now() - startedAt };
}

const ipOf = (round: number, index: number) => `10.${round}.${index >> 8}.${index & 255}`;
const known = (index: number) => `known${index}@example.org`;
const unknown = (route: string, index: number) => `${route}${index}@example.org`;

/** Registers the known addresses, and verifies every second one. */
async function makeAccounts(url: string, dataDir: string): Promise<void> {
  const count = triesEach + warmUps;
  for (let index = 0; index < count; index++) await ask(url, tries.register as Try, known(index), ipOf(1, index));
  const outbox = join(dataDir, 'outbox');
  let names = await readdir(outbox);
  for (let waited = 0; names.length < count && waited < 100; waited++) {
    await sleep(100);
    names = await readdir(outbox);
  }
  for (const name of names.filter((_name, index) => index % 2 === 0)) {
    const token = /token=([\w-]{43})/.exec(await readFile(join(outbox, name), 'utf8'))?.[1];
    await fetch(`${url}/v1/auth/verify-email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
  }
}

type Compared = { route: string; knownMs: number; unknownMs: number; difference: number; sayTheSame: boolean };

async function compare(url: string, route: string, round: number): Promise<Compared> {
  const asked = tries[route] as Try;
  const answers = { known: [] as Answer[], unknown: [] as Answer[] };
  for (let index = 0; index < triesEach + warmUps; index++) {
    const pair = [known(index), unknown(route, index)];
    const isKnownFirst = Math.random() < 0.5;
    for (const email of isKnownFirst ? pair : pair.reverse()) {
      // Lets the work that outlives the last answer end, so that the next request does not pay for it.
      await sleep(Math.random() * 20);
      const answer = await ask(url, asked, email, ipOf(round, index * 2 + (email === known(index) ? 0 : 1)));
      if (index >= warmUps) answers[email === known(index) ? 'known' : 'unknown'].push(answer);
    }
  }
  const knownMs = median(answers.known);
  const unknownMs = median(answers.unknown);
  const told = new Set([...answers.known, ...answers.unknown].map((answer) => answer.told));
  const difference = Math.abs(knownMs - unknownMs) / Math.min(knownMs, unknownMs);
  return { route, knownMs, unknownMs, difference, sayTheSame: told.size === 1 };
}

function median(answers: Answer[]): number {
  const sorted = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const folder = await temporaryFolder();
const service = await startService(folder.path, {
  EMAIL_VERIFICATION: 'required',
  TRUST_PROXY: '127.0.0.1',
  RATE_LIMIT_PER_MINUTE: '0',
  LOG_LEVEL: 'warn',
});
try {
  await makeAccounts(service.url, folder.path);
  console.log('route      known      unknown    difference   the same is said');
  for (const [index, route] of Object.keys(tries).entries()) {
    const { knownMs, unknownMs, difference, sayTheSame } = await compare(service.url, route, index + 2);
    const told = [`${knownMs.toFixed(2)} ms`, `${unknownMs.toFixed(2)} ms`, `${(difference * 100).toFixed(1)} %`];
    console.log(`${route.padEnd(11)}${told.map((text) => text.padEnd(11)).join('')}  ${sayTheSame ? 'yes' : 'NO'}`);
    if (difference > differenceMax || !sayTheSame) process.exitCode = 1;
  }
} finally {
  service.process.kill('SIGTERM');
  await service.exited;
  await folder.remove();
}
