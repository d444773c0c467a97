/**
 * Times the web inbox from a key or click to the frame that shows its effect, in real Chromium, on 100,000 tickets of
 * one workspace. `npm run bench:web [-- --rounds 9] [--data <folder>] [--json <file>]`
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { accessTokens } from '../../src/access/accounts/access-token.ts';
import { systemClock } from '../../src/ground/lib/clock.ts';
import { openBrowser } from '../../test/pages/browser.ts';
import { openData } from '../data.ts';
import { startService } from '../house.ts';
import { tableText, tell } from '../report.ts';
import { largestWorkspace, personOf, workspaceId } from '../world.ts';
import { budgets } from './budgets.ts';
import { importConversations } from './conversations.ts';
import { runRound, type Timings } from './steps.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, data: { type: 'string' }, json: { type: 'string' } },
});

async function bench(): Promise<Timings> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-bench-web-'));
  await using house = new AsyncDisposableStack();
  house.defer(() => rm(folder, { recursive: true, force: true }));
  const authSecret = randomBytes(32).toString('base64url');
  const data = await openData(house, { size: 'web', folder, keptFolder: values.data });
  const options = { databaseUrl: data.url, folder, authSecret };
  await importConversations(options);
  const service = await startService(options);
  house.defer(service.stop);
  const browser = await openBrowser();
  house.defer(() => browser.close());
  const tokens = accessTokens(new TextEncoder().encode(authSecret), systemClock, {
    issuer: 'kontor-cookie',
    seconds: 86_400,
  });
  const cookies = [0, 1].map((member) => tokens.sign(personOf(largestWorkspace, member)));
  const stage = { browser, url: service.url, workspaceId: workspaceId(largestWorkspace), cookies };
  const all: Timings = new Map();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, figures] of await runRound(stage)) all.set(name, [...(all.get(name) ?? []), ...figures]);
    tell(`round ${round + 1} is done`);
  }
  return all;
}

function shareOf(sorted: readonly number[], share: number): number {
  return sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1] ?? Number.NaN;
}

type Figures = Record<string, { median: number; p95: number; count: number }>;

function figuresOf(timings: Timings): Figures {
  return Object.fromEntries(
    [...timings].map(([name, values]) => {
      const sorted = values.toSorted((a, b) => a - b);
      return [name, { median: shareOf(sorted, 0.5), p95: shareOf(sorted, 0.95), count: sorted.length }];
    }),
  );
}

async function readBefore(path: string | undefined): Promise<Figures> {
  const text = path === undefined ? undefined : await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? {} : (JSON.parse(text) as Figures);
}

const loadBefore = loadavg()[0] ?? 0;
const before = await readBefore(values.json);
const figures = figuresOf(await bench());
if (values.json !== undefined) await writeFile(values.json, JSON.stringify(figures));
const rows = Object.entries(figures).map(([name, { median, p95, count }]) => {
  const budget = budgets[name] ?? Number.POSITIVE_INFINITY;
  const earlier = before[name]?.p95.toFixed(0) ?? '';
  return [name, String(count), median.toFixed(0), p95.toFixed(0), earlier, String(budget), p95 > budget ? 'over' : ''];
});
console.log(tableText([['ms', 'times', 'median', 'p95', 'p95 before', 'budget', ''], ...rows]));
console.log(`the machine's load before: ${loadBefore.toFixed(1)}`);
