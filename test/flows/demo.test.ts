import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databasePlace } from '../harness/database-place.ts';
import { freePort } from '../harness/service-process.ts';
import { sharedBrowser } from '../pages/browser.ts';

type Demo = { url: string; output: () => string; stop(): Promise<number> };
const folders: string[] = [];
const running = new Set<ChildProcess>();
let dataDir: string;

beforeAll(async () => {
  dataDir = await makeFolder();
});
afterAll(async () => {
  for (const child of running) child.kill('SIGTERM');
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

test('the demo has people who can sign in and tickets in every state, and a second start finds them', async () => {
  const demo = await startDemo(dataDir);
  const people = [...demo.output().matchAll(/^ {2}(\S+@\S+) +(owner|admin|agent|viewer) /gm)].map(
    ([, email]) => email!,
  );
  const password = /their password is (\S+)/.exec(demo.output())?.[1];
  expect(people).toHaveLength(5);
  const sessions = await Promise.all(people.map((email) => signIn(demo, { email, password })));
  expect(sessions.map(({ workspace }) => workspace.role).sort()).toEqual([
    'admin',
    'agent',
    'agent',
    'owner',
    'viewer',
  ]);

  const [owner] = sessions;
  const tickets = await list(demo, owner);
  expect(tickets.length).toBeGreaterThanOrEqual(36);
  expect(new Set(tickets.map(({ status }) => status))).toEqual(new Set(['open', 'pending', 'closed']));
  expect(tickets.some(({ archivedAt }) => archivedAt !== null)).toBe(true);
  expect(tickets.filter(({ requester }) => requester !== null)).toHaveLength(tickets.length);
  expect(demo.output()).toContain("Made the demo's data");
  const deliveries = await deliveriesOf(demo, owner, tickets);
  expect(deliveries.length).toBeGreaterThan(20);
  expect(deliveries.filter(({ status, isFile }) => status !== 'sent' || isFile)).toEqual([]);
  await lookAround(demo);
  await beACustomer(demo);
  const left = await list(demo, owner);
  expect(await demo.stop()).toBe(0);

  const again = await startDemo(dataDir);
  expect(again.output()).not.toContain("Made the demo's data");
  expect(await list(again, await signIn(again, { email: people[0], password }))).toEqual(left);
  await beACustomer(again);
  expect(await again.stop()).toBe(0);
}, 300_000);

test('a folder with other content is left alone', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'diary.txt'), 'Dear diary');
  await expect(startDemo(folder)).rejects.toThrow(/holds something other than the demo/);
}, 30_000);

/** Signs in by one click in a real browser, and follows the link to the customer's page. */
async function lookAround({ url }: Demo): Promise<void> {
  const page = await (await sharedBrowser()).newPage();
  try {
    await page.goto(url);
    const customer = page.getByRole('link', { name: /Be the customer/ });
    const customerPage = await customer.getAttribute('href');
    expect((await fetch(String(customerPage))).status).toBe(200);
    await page.getByRole('button', { name: /Maya Okafor/ }).click();
    await page.getByRole('navigation', { name: 'Lists' }).waitFor();
    await page.getByRole('link', { name: /\S/ }).first().waitFor();
  } finally {
    await page.close();
  }
}

/** Writes to both mailboxes on the customer's page, answers the tickets over the API, and replies. */
async function beACustomer({ output }: Demo): Promise<void> {
  const page = /Be a customer at (\S+),/.exec(output())?.[1];
  expect((await fetch(`${page}/`)).headers.get('content-security-policy')).toContain("default-src 'none'");
  const mails = async (): Promise<any[]> => {
    const shown: any = await (await fetch(`${page}/mails`)).json();
    return shown.mails;
  };
  const write = async (mail: object) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${page}/mails`, { method: 'POST', headers, body: JSON.stringify(mail) });
    expect(answer.status).toBe(200);
  };
  const addresses = ['support@radwerk.example', 'support@radwerk-shop.example'];
  await Promise.all(addresses.map((to) => write({ to, subject: `A brake for ${to}`, text: 'It squeaks.' })));
  const until = (isSo: (all: any[]) => boolean) => untilSo(mails, isSo, output);
  const written = await until((all) => all.length === 2 && all.every(({ ticket }) => ticket !== undefined));
  await Promise.all(written.map(({ ticket }) => promisify(execFile)('bash', ['-c', ticket.answerWith])));
  const answered = await until((all) => all.length === 4 && all.every(({ ticket }) => ticket !== undefined));
  for (const mailbox of addresses) {
    const [question, answer] = answered.filter((mail) => mail.mailbox === mailbox);
    expect(answer).toMatchObject({ kind: 'received', subject: `Re: ${question.subject}` });
    expect(answer.ticket.number).toBe(question.ticket.number);
    await write({ receivedId: answer.id, text: 'I will.' });
  }
  const replied = await until((all) => all.length === 6 && all.every(({ ticket }) => ticket !== undefined));
  expect(new Set(replied.map(({ ticket }) => ticket.number)).size).toBe(2);
}

/** Far shorter than the time to the next sweep, which would also find mail without notifications. */
const patienceMs = 40_000;

async function untilSo<Value>(
  read: () => Promise<Value>,
  isSo: (value: Value) => boolean,
  output: () => string,
): Promise<Value> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const value = await read();
    if (isSo(value)) return value;
    if (performance.now() > deadline) throw new Error(`${JSON.stringify(value, undefined, 2)}\n${output()}`);
    await sleep(50);
  }
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(databasePlace(), 'kontor-demo-'));
  folders.push(folder);
  return folder;
}

/** Resolves once the demo has printed its accounts. */
async function startDemo(folder: string): Promise<Demo> {
  const port = await freePort();
  const { DATABASE_URL: _, ...environment } = process.env;
  const child = spawn(process.execPath, ['demo/main.ts'], {
    env: { ...environment, DATA_DIR: folder, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  const exited = once(child, 'exit').then(([code]) => {
    running.delete(child);
    return code as number;
  });
  const told = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
        if (output.includes('Ctrl-C')) resolve();
      });
    }
  });
  const ending = await Promise.race([told, exited]);
  if (ending !== undefined) throw new Error(output);
  return {
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

async function signIn(
  { url }: Demo,
  credentials: { email: string | undefined; password: string | undefined },
): Promise<any> {
  const answer = await fetch(`${url}/v1/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'local', ...credentials }),
  });
  expect(answer.status).toBe(200);
  return answer.json();
}

function list(demo: Demo, session: any): Promise<any[]> {
  return read(demo, session, '/tickets?archived=any&sort=createdAt');
}

async function deliveriesOf(demo: Demo, session: any, tickets: any[]): Promise<any[]> {
  const parts = await Promise.all(tickets.map(({ id }) => read(demo, session, `/tickets/${id}/messages`)));
  return parts.flatMap(({ messages }) => messages.flatMap(({ delivery }: any) => delivery ?? []));
}

async function read({ url }: Demo, { accessToken, workspace }: any, path: string): Promise<any> {
  const answer = await fetch(`${url}/v1/workspaces/${workspace.id}${path}`, {
    headers: { authorization: `Bearer ${accessToken}`, 'x-workspace-id': workspace.id },
  });
  expect(answer.status).toBe(200);
  return answer.json();
}
