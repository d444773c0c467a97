/**
 * Compares three members of large workspaces, in turn: one of a workspace whose 50 teams all show their tickets, one
 * outside 10 restricted teams of 50, and one who sees only the tickets of 5 teams. `node bench/prove/teams.ts` starts
 * the service at a place of its own.
 */
import { call, type Person } from '../../test/worlds/factories.ts';
import { type Place, proveAt } from './place.ts';
import { makeDesk, tickets } from './team-desk.ts';

const restricted = 10;
const rounds = Number(process.env.ROUNDS ?? 150);
const warmUps = 15;

const reads = {
  list: '/tickets?status=open',
  'deep list': '/tickets?status=open&sort=createdAt&order=asc',
  'list, not counted': '/tickets?status=open&count=false',
  search: '/tickets?search=pumpkin',
  counts: '/counts',
};

async function timeOf(place: Place, person: Person, method: string, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${person.token}`, 'x-workspace-id': person.workspaceId };
  const url = `/v1/workspaces/${person.workspaceId}${path}`;
  const startedAt = performance.now();
  await call({ url: place.urls[0] ?? '' }, method, url, method === 'GET' ? undefined : {}, headers);
  return performance.now() - startedAt;
}

/** Asks in random order, so that the load of the machine counts for all. @returns the medians, in the given order */
async function inTurn(asks: readonly (() => Promise<number>)[]): Promise<{ medians: number[]; fastest: number[] }> {
  const times = asks.map((): number[] => []);
  for (let round = 0; round < rounds + warmUps; round++) {
    const order = [...asks.keys()].toSorted(() => Math.random() - 0.5);
    for (const index of order) {
      const time = (await asks[index]?.()) ?? 0;
      if (round >= warmUps) times[index]?.push(time);
    }
  }
  const sorted = times.map((of) => of.toSorted((a, b) => a - b));
  const at = (part: number) => sorted.map((of) => of[Math.floor(of.length * part)] ?? 0);
  return { medians: at(0.5), fastest: at(0.1) };
}

const shown = (milliseconds: number) => `${milliseconds.toFixed(2)} ms`.padEnd(11);
const apart = (a: number, b: number) => `${((b / a - 1) * 100).toFixed(1)} %`.padStart(8);

await proveAt(1, async (place) => {
  const [open, walled] = [await makeDesk(place, 0), await makeDesk(place, restricted)];
  await place.house.app.db.pool.query('vacuum analyze');
  console.log(`${tickets} tickets in 50 teams; medians, and the tenth part that is fastest`);
  console.log('read                nothing hidden        outside 10 of 50               only 5 teams');
  for (const [name, path] of Object.entries(reads)) {
    const { medians, fastest } = await inTurn(
      [open.member, walled.member, walled.bound].map((person) => () => timeOf(place, person, 'GET', path)),
    );
    for (const [kind, [all = 0, outside = 0, bound = 0]] of Object.entries({ [name]: medians, fastest }))
      console.log(
        `${kind.padEnd(20)}${shown(all)}${shown(outside)}${apart(all, outside)}   ${shown(bound)}${apart(all, bound)}`,
      );
  }
});
