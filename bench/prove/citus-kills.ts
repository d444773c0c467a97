/**
 * Kills each node of a Citus cluster in turn (kill -9) while tickets are written in eight workspaces, and starts it
 * again. Exits with 1 if an acknowledged ticket is lost or there twice, if a stream misses or repeats its event, or if
 * a workspace on another worker is refused while a worker is away.
 *
 *     DATABASE_URL=postgres://kontor@127.0.0.1:9700/kontor CLUSTER=scripts/citus-cluster.sh \
 *       node bench/prove/citus-kills.ts
 *
 * `docs/scale.md` says how to make and distribute the cluster.
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { workersOf } from '../cluster/cluster-nodes.ts';
import { type Ledger, openLedger } from './ticket-ledger.ts';

const quietMs = 10_000;
const awayMs = 10_000;
const settleMsMax = 180_000;

const { DATABASE_URL: databaseUrl = '', CLUSTER: cluster = '' } = process.env;
if (databaseUrl === '' || cluster === '') throw new Error('DATABASE_URL and CLUSTER are needed: see the first lines.');
const run = promisify(execFile);

type Outage = { node: number; fromMs: number; untilMs: number; firstAgainMs: number };

async function killAndStart(node: number, { workspaces }: Ledger): Promise<Outage> {
  const fromMs = performance.now();
  await run(cluster, ['kill', String(node)]);
  await sleep(awayMs);
  const untilMs = performance.now();
  await run(cluster, ['start']);
  const startedMs = performance.now();
  const before = workspaces.map(({ acknowledged }) => acknowledged.length);
  while (workspaces.some(({ acknowledged }, at) => acknowledged.length === before[at])) {
    if (performance.now() - startedMs > settleMsMax) throw new Error(`after node ${node} was back, writes stood still`);
    await sleep(50);
  }
  return { node, fromMs, untilMs, firstAgainMs: performance.now() - startedMs };
}

function tellOutage({ node, fromMs, untilMs, firstAgainMs }: Outage, { answers }: Ledger): string[] {
  const during = answers.filter(({ atMs }) => atMs > fromMs && atMs < untilMs);
  const count = (isTheirs: boolean, isMade: boolean) =>
    during.filter((each) => (each.node === node) === isTheirs && (each.status === 201) === isMade).length;
  const refused = during.filter(({ status }) => status === 503);
  console.log(
    `node ${node} away ${Math.round(untilMs - fromMs)} ms: its workspaces ${count(true, true)} made, ` +
      `${count(true, false)} refused; others ${count(false, true)} made, ` +
      `${count(false, false)} refused; all wrote again ${Math.round(firstAgainMs)} ms after its start`,
  );
  const faults = [];
  const others = during.map(({ status }) => status).filter((status) => ![0, 201, 409, 503].includes(status));
  if (others.length > 0) faults.push(`without node ${node}, answers were ${[...new Set(others)].join(', ')}`);
  if (refused.some(({ retryAfter }) => retryAfter === null))
    faults.push(`a 503 without node ${node} had no Retry-After`);
  if (node !== 0 && count(false, false) > 0) faults.push(`without node ${node}, workspaces elsewhere were refused`);
  return faults;
}

const workers = await workersOf(databaseUrl);
const ledger = await openLedger(databaseUrl);
const faults: string[] = [];
await sleep(quietMs);
for (const node of [...workers.map(({ group }) => group), 0]) {
  faults.push(...tellOutage(await killAndStart(node, ledger), ledger));
  await sleep(quietMs);
}
faults.push(...(await ledger.close()));
if (faults.length > 0) console.error(ledger.output().slice(-20_000));
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
