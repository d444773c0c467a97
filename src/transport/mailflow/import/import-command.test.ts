import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useHouse } from '../../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../../test/worlds/factories.ts';
import { sql } from '../../../ground/database/sql.ts';

const house = useHouse();
/** Several batches. */
const mailCount = 300;
const threadLength = 3;
let folder = '';
let mbox = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-import-'));
  mbox = join(folder, 'mails.mbox');
  await writeFile(
    mbox,
    Array.from({ length: mailCount }, (_, at) => `From x Thu Jan  1 00:00:00 2026\n${mailText(at)}\n`).join(''),
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Threads of three mails, with answers before the mails that they answer. */
function mailText(at: number): string {
  const thread = Math.floor(at / threadLength);
  const place = threadLength - 1 - (at % threadLength);
  return [
    `From: Person ${thread} <p${thread}@example.org>`,
    `Subject: ${place === 0 ? '' : 'Re: '}Thread ${thread}`,
    `Message-ID: <${thread}.${place}@example.org>`,
    ...(place === 0 ? [] : [`In-Reply-To: <${thread}.${place - 1}@example.org>`]),
    `Date: Thu, 1 Jan 2026 0${place}:00:00 +0000`,
    '',
    `Text ${at}.`,
    '',
  ].join('\n');
}

/** The real command in its own process. */
function importProcess(parameters: string[]): ChildProcess {
  return spawn(process.execPath, ['src/main.ts', 'import', ...parameters], {
    env: {
      ...process.env,
      DATA_DIR: house.dataDir,
      DATABASE_URL: house.databaseUrl,
      AUTH_SECRET: 'x'.repeat(32),
      ENCRYPTION_KEY: 'x'.repeat(32),
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function run(parameters: string[]): Promise<{ code: number | null; output: string }> {
  const child = importProcess(parameters);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return { code, output };
}

const countOf = async ({ workspaceId }: Person) =>
  house.app.db.one<{ messages: number; tickets: number; raw: number }>(sql`
    select (select count(*) from messages where workspace_id = ${workspaceId}) as messages,
      (select count(*) from tickets where workspace_id = ${workspaceId} and merged_into_id is null) as tickets,
      (select count(*) from raw_mails where workspace_id = ${workspaceId}) as raw`);

describe('node operate.js import', () => {
  it('imports into a workspace by its name, reports the result, and imports nothing twice', async () => {
    const owner = await makeOwner(house, 'Import by name');
    const first = await run(['--workspace', 'import BY name', mbox]);
    expect(first.output).toMatch(/read +300\n +new +300\n +already there +0\n +quarantined +0\n +tickets +100\n/);
    expect(first.code).toBe(0);
    const second = await run(['--workspace', owner.workspaceId, mbox]);
    expect(second.output).toMatch(/new +0\n +already there +300\n/);
    expect(await countOf(owner)).toEqual({ messages: 300, tickets: 100, raw: 300 });
  }, 60_000);

  it('has the same result after it was killed at any point and started again', async () => {
    const owner = await makeOwner(house);
    for (const messagesMin of [1, 100]) {
      const child = importProcess(['--workspace', owner.workspaceId, mbox]);
      const ended = once(child, 'close');
      while (child.exitCode === null && (await countOf(owner)).messages < messagesMin) await sleep(10);
      child.kill('SIGKILL');
      await ended;
    }
    const { code } = await run(['--workspace', owner.workspaceId, mbox]);
    expect(code).toBe(0);
    expect(await countOf(owner)).toEqual({ messages: 300, tickets: 100, raw: 300 });
    const counts = await house.app.db.rows(sql`
      select distinct message_count as messages, subject like 'Re:%' as "isReply"
      from tickets where workspace_id = ${owner.workspaceId} and merged_into_id is null`);
    expect(counts).toEqual([{ messages: 3, isReply: false }]);
  }, 60_000);

  it('finishes its batch on Ctrl-C, reports the result, and continues when started again', async () => {
    const owner = await makeOwner(house);
    const child = importProcess(['--workspace', owner.workspaceId, mbox]);
    let output = '';
    child.stdout?.on('data', (text) => (output += text));
    const ended = once(child, 'close');
    while (child.exitCode === null && (await countOf(owner)).messages === 0) await sleep(10);
    child.kill('SIGINT');
    const [code] = await ended;
    expect([code, output]).toEqual([130, expect.stringMatching(/Start it again/)]);
    await run(['--workspace', owner.workspaceId, mbox]);
    expect(await countOf(owner)).toEqual({ messages: 300, tickets: 100, raw: 300 });
  }, 60_000);

  it.each([
    ['an unknown workspace', () => ['--workspace', 'Nowhere', mbox], /^There is no workspace Nowhere/],
    ['a name that several have', () => ['--workspace', 'Twins', mbox], /^Several workspaces are called Twins/],
    ['a missing path', () => ['--workspace', 'Twins', join(folder, 'nothing')], /^There is no file or folder /],
  ])(
    'with %s says so in one line and fails',
    async (_what, parameters, line) => {
      await makeOwner(house, 'Twins');
      await makeOwner(house, 'Twins');
      const { code, output } = await run(parameters());
      expect(output.trimEnd()).toMatch(line);
      expect(output.trimEnd().split('\n')).toHaveLength(1);
      expect(code).toBe(1);
    },
    30_000,
  );
});
