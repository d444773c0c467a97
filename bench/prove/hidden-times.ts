/**
 * Whether a member outside a restricted team can tell a hidden ticket from one that does not exist by the time of the
 * answer. Asks for both on one connection, in random order, and compares the times by the test of Mann and Whitney.
 * `node bench/prove/hidden-times.ts` starts the service at a place of its own. `ROUNDS` asks more often.
 */
import { Agent, request } from 'node:http';
import { newId } from '../../src/ground/lib/ids.ts';
import type { Person } from '../../test/worlds/factories.ts';
import { type Place, proveAt } from './place.ts';
import { makeDesk, tickets } from './team-desk.ts';

const rounds = Number(process.env.ROUNDS ?? 3_000);
const warmUps = 100;
const restricted = 10;
/** Whoever asks may repeat one id, but one place in an index may be slower than another by itself. */
const idsOfEach = 20;

type Ask = (id: string, ticketNumber: number) => { method: string; path: string };

const asks: Ask[] = [
  (id) => ({ method: 'GET', path: `/tickets/${id}` }),
  (_id, ticketNumber) => ({ method: 'GET', path: `/tickets/number/${ticketNumber}` }),
  (id) => ({ method: 'GET', path: `/tickets/${id}/messages` }),
  (id) => ({ method: 'GET', path: `/tickets/${id}/events` }),
  (id) => ({ method: 'PATCH', path: `/tickets/${id}` }),
  (id) => ({ method: 'POST', path: `/tickets/${id}/followers` }),
];

/** One connection that is kept. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

type Sent = { method: string; path: string };

/** @returns the milliseconds until the whole answer is there */
function timeOf({ urls }: Place, { token, workspaceId }: Person, { method, path }: Sent): Promise<number> {
  const url = `${urls[0]}/v1/workspaces/${workspaceId}${path}`;
  const headers = { authorization: `Bearer ${token}`, 'x-workspace-id': workspaceId };
  const body = method === 'GET' ? undefined : '{}';
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const startedAt = performance.now();
  const sent = request(
    url,
    { method, agent, headers: { ...headers, ...(body && { 'content-type': 'application/json' }) } },
    (response) => {
      if (response.statusCode !== 404 && response.statusCode !== 400) reject(new Error(`${response.statusCode}`));
      response.resume().on('end', () => resolve(performance.now() - startedAt));
    },
  );
  sent.on('error', reject).end(body);
  return promise;
}

/** How sure it is that one kind is faster, as a normal deviate: beyond 1.96 in one of 20 comparisons of equal kinds. */
function deviateOf(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((time) => ({ time, isOne: true })), ...other.map((time) => ({ time, isOne: false }))];
  all.sort((a, b) => a.time - b.time);
  let [rankSum, tied] = [0, 0];
  for (let from = 0, to = 0; from < all.length; from = to) {
    while (to < all.length && all[to]?.time === all[from]?.time) to++;
    const rank = (from + 1 + to) / 2;
    rankSum += rank * all.slice(from, to).filter(({ isOne }) => isOne).length;
    tied += (to - from) ** 3 - (to - from);
  }
  const [n, m] = [one.length, other.length];
  const size = n + m;
  const spread = Math.sqrt(((n * m) / 12) * (size + 1 - tied / (size * (size - 1))));
  return (rankSum - (n * (size + 1)) / 2) / spread;
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

await proveAt(1, async (place) => {
  const { member, hidden } = await makeDesk(place, restricted);
  await place.house.app.db.pool.query('vacuum analyze');
  const secret = hidden.slice(0, idsOfEach);
  const unknown = secret.map((_each, at) => ({ id: newId(), ticketNumber: tickets + 1_500 + at }));
  console.log(`${rounds} times each: medians, how far apart, and the deviate of Mann and Whitney`);
  for (const ask of asks) {
    const times = { hidden: [] as number[], unknown: [] as number[] };
    for (let round = 0; round < rounds + warmUps; round++) {
      const kinds = Math.random() < 0.5 ? (['hidden', 'unknown'] as const) : (['unknown', 'hidden'] as const);
      for (const kind of kinds) {
        const { id, ticketNumber } = (kind === 'hidden' ? secret : unknown)[round % idsOfEach]!;
        const time = await timeOf(place, member, ask(id, ticketNumber));
        if (round >= warmUps) times[kind].push(time);
      }
    }
    const { method, path } = ask('…', 7);
    const [ofHidden, ofUnknown] = [median(times.hidden), median(times.unknown)];
    const apart = `${((ofHidden / ofUnknown - 1) * 100).toFixed(2)} %`;
    const deviate = deviateOf(times.hidden, times.unknown).toFixed(2);
    console.log(
      `${`${method} ${path}`.padEnd(28)} hidden ${ofHidden.toFixed(3)} ms   unknown ${ofUnknown.toFixed(3)} ms` +
        `${apart.padStart(10)}   ${deviate.padStart(6)}`,
    );
  }
  agent.destroy();
});
