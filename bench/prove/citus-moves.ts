/**
 * Moves shards of a Citus cluster while tickets are written in eight workspaces. First each workspace's rows move to
 * another worker and back, then all go to one worker, and a rebalance spreads them again. Exits with 1 if an
 * acknowledged ticket is lost or there twice, if a stream misses or repeats its event, or if an answer is neither 201
 * nor 503 with `Retry-After`.
 *
 *     DATABASE_URL=postgres://kontor@127.0.0.1:9700/kontor node bench/prove/citus-moves.ts
 *
 * `docs/scale.md` says how to make and distribute the cluster.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { askCluster, type ClusterNode, nodeOf, workersOf } from '../cluster/cluster-nodes.ts';
import { type Answer, openLedger } from './ticket-ledger.ts';

const quietMs = 5_000;
const { DATABASE_URL: databaseUrl = '' } = process.env;
if (databaseUrl === '') throw new Error('DATABASE_URL is needed: see the first lines.');

type Placement = ClusterNode & { shard: string };

/** One shard of each group of shards that lie together. Its move takes the others with it. */
function placements(): Promise<Placement[]> {
  return askCluster(
    databaseUrl,
    `select s.shardid as shard, n.groupid as group, n.nodename as host, n.nodeport as port
     from pg_dist_shard s
     join pg_dist_placement p on p.shardid = s.shardid and p.shardstate = 1
     join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
     where s.logicalrelid = 'tickets'::regclass
     order by s.shardid`,
  );
}

async function move({ shard, ...from }: Placement, to: ClusterNode): Promise<void> {
  await askCluster(databaseUrl, 'select citus_move_shard_placement($1, $2, $3, $4, $5)', [
    shard,
    from.host,
    from.port,
    to.host,
    to.port,
  ]);
}

async function moveWorkspace(workspaceId: string, workers: readonly ClusterNode[]): Promise<void> {
  const from = await nodeOf(databaseUrl, workspaceId);
  const to = workers.find(({ group }) => group !== from.group);
  if (to === undefined) throw new Error('the cluster needs two workers');
  const [{ shard } = { shard: '' }] = await askCluster<{ shard: string }>(
    databaseUrl,
    `select get_shard_id_for_distribution_column('tickets', $1::uuid) as shard`,
    [workspaceId],
  );
  await move({ ...from, shard }, to);
}

async function rebalance(): Promise<void> {
  await askCluster(databaseUrl, 'select citus_rebalance_start()');
  await askCluster(databaseUrl, 'select citus_rebalance_wait()');
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Runs work, and prints the service's answers meanwhile. @returns a sentence for each answer that no client may get */
async function during(name: string, answers: readonly Answer[], work: () => Promise<unknown>): Promise<string[]> {
  const from = answers.length;
  const fromMs = performance.now();
  await work();
  const seconds = (performance.now() - fromMs) / 1_000;
  const given = answers.slice(from);
  const made = given.filter(({ status }) => status === 201);
  const others = given.filter(({ status }) => status !== 201);
  const took = made.map(({ tookMs }) => tookMs);
  console.log(
    `${name}, ${seconds.toFixed(1)} s: ${made.length} made, half of them in ${Math.round(median(took))} ms, ` +
      `all in ${Math.round(Math.max(...took))} ms; ${others.length} refused`,
  );
  return others
    .filter(({ status, retryAfter }) => status !== 503 || retryAfter === null)
    .map(({ status, retryAfter }) => `${name}: answered ${status}, Retry-After ${retryAfter}`);
}

const workers = await workersOf(databaseUrl);
const [first] = workers;
if (first === undefined) throw new Error('the cluster has no workers');
await rebalance();
const ledger = await openLedger(databaseUrl);
const { answers } = ledger;
const faults = await during('before', answers, () => sleep(quietMs));
for (const [turn, way] of ['there', 'back'].entries())
  for (const { workspaceId } of ledger.workspaces.slice(0, 4))
    faults.push(...(await during(`move ${way} ${turn}`, answers, () => moveWorkspace(workspaceId, workers))));
const elsewhere = (await placements()).filter(({ group }) => group !== first.group);
faults.push(
  ...(await during(`${elsewhere.length} moves to one worker`, answers, async () => {
    for (const placement of elsewhere) await move(placement, first);
  })),
);
faults.push(...(await during('rebalance', answers, rebalance)));
faults.push(...(await during('behind', answers, () => sleep(quietMs))));
const spread = Object.groupBy(await placements(), ({ group }) => group);
console.log(`shards of a worker: ${Object.entries(spread).map(([group, shards]) => `${group} has ${shards?.length}`)}`);
faults.push(...(await ledger.close()));
if (faults.length > 0) console.error(ledger.output().slice(-20_000));
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
