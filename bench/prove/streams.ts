/**
 * Runs two processes of the service on one database, with 2,000 streams at the first and 200 at the second. Measures
 * their memory, how soon a change at either process reaches every stream of its workspace, and how soon a stream ends
 * whose right ended at the other process. `node bench/prove/streams.ts` starts everything that it needs, and exits with
 * 1 over a limit.
 */
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, makeMember, makeOwner, type Person } from '../../test/worlds/factories.ts';
import { readProcessFigures } from '../house.ts';
import { type Place, proveAt } from './place.ts';

const smallWorkspaces = 10;
/** The big workspace has as many members, and so as many streams, as all small ones together. */
const membersOfSmall = 10;
const streamsPerMember = 10;
const changesPerSecond = 5;
const changeSeconds = 30;
const endings = 20;
const riseMbMax = 250;
const latencyMsMax = 1_000;

type Stream = { person: Person; response: IncomingMessage };

/** When each ticket was requested, and the milliseconds until each stream showed it. */
const askedAtMs = new Map<string, number>();
const latenciesMs: number[] = [];

async function openStream(url: string, person: Person): Promise<Stream> {
  const sent = request(`${url}/v1/workspaces/${person.workspaceId}/events/stream`, {
    agent: false,
    headers: { authorization: `Bearer ${person.token}`, 'x-workspace-id': person.workspaceId },
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject).end();
  });
  if (response.statusCode !== 200) throw new Error(`a stream was answered ${response.statusCode}`);
  let rest = '';
  await new Promise<void>((resolve) => {
    response.setEncoding('utf8').on('data', (text: string) => {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        if (/^id: \S+$/.test(block)) resolve();
        const [, ticketId] = /"type":"ticket.created","ticketId":"([^"]+)"/.exec(block) ?? [];
        if (ticketId !== undefined) note(ticketId);
      }
    });
  });
  return { person, response };
}

/** A change often reaches a stream before the request that made it is answered. */
const early: { ticketId: string; atMs: number }[] = [];

function note(ticketId: string): void {
  const askedAt = askedAtMs.get(ticketId);
  if (askedAt === undefined) early.push({ ticketId, atMs: performance.now() });
  else latenciesMs.push(performance.now() - askedAt);
}

async function makeTicket(url: string, { workspaceId, token }: Person): Promise<void> {
  const askedAt = performance.now();
  const headers = { authorization: `Bearer ${token}`, 'x-workspace-id': workspaceId };
  const ticket = { subject: 'The printer hums', body: 'Quietly.' };
  const { status, body } = await call({ url }, 'POST', `/v1/workspaces/${workspaceId}/tickets`, ticket, headers);
  if (status !== 201) throw new Error(`a ticket was answered ${status}`);
  askedAtMs.set(body.id, askedAt);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN);
}

async function residentMb(url: string): Promise<number> {
  return (await readProcessFigures(url)).residentMb;
}

type Pair = Pick<Place, 'house'> & { urls: [string, string] };

async function makePeople({ house }: Pair): Promise<Person[][]> {
  const sizes = [membersOfSmall * smallWorkspaces, ...Array.from({ length: smallWorkspaces }, () => membersOfSmall)];
  const workspaces: Person[][] = [];
  for (const size of sizes) {
    const owner = await makeOwner(house);
    const others = Array.from({ length: size - 1 }, () => makeMember(house, owner.workspaceId, 'agent'));
    workspaces.push([owner, ...(await Promise.all(others))]);
  }
  return workspaces;
}

async function openAll(url: string, people: readonly Person[]): Promise<Stream[]> {
  const streams: Stream[] = [];
  for (let start = 0; start < people.length; start += 50) {
    streams.push(...(await Promise.all(people.slice(start, start + 50).map((person) => openStream(url, person)))));
  }
  return streams;
}

/** Makes tickets in turn in the big workspace and in the small workspaces, at either process. */
async function makeChanges({ urls }: Pair, workspaces: Person[][], streamsOf: Map<string, number>): Promise<void> {
  let expected = 0;
  const startedAt = performance.now();
  const made: Promise<void>[] = [];
  for (let nth = 0; nth < changesPerSecond * changeSeconds; nth++) {
    const at = nth % changesPerSecond === 0 ? 0 : 1 + (nth % smallWorkspaces);
    const [owner] = workspaces[at] ?? [];
    if (owner === undefined) continue;
    expected += streamsOf.get(owner.workspaceId) ?? 0;
    made.push(makeTicket(urls[nth % 2] ?? urls[0], owner));
    await sleep(Math.max(startedAt + ((nth + 1) * 1_000) / changesPerSecond - performance.now(), 0));
  }
  await Promise.all(made);
  for (let waited = 0; latenciesMs.length + early.length < expected && waited < 100; waited++) await sleep(100);
  for (const { ticketId, atMs } of early) latenciesMs.push(atMs - (askedAtMs.get(ticketId) ?? Number.NaN));
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(latenciesMs, share));
  console.log(
    `changes: ${latenciesMs.length} of ${expected} events came, p50 ${p50} ms, p99 ${p99} ms after the request`,
  );
  if (latenciesMs.length !== expected || (p99 ?? Number.NaN) >= latencyMsMax) process.exitCode = 1;
}

/** Ends sessions and removes members at the second process, while their streams are at the first. */
async function endRights({ urls: [, url] }: Pair, streams: readonly Stream[], owner: Person): Promise<void> {
  const headers = { 'x-workspace-id': owner.workspaceId };
  const leaving = [...new Set(streams.map(({ person }) => person))].filter((person) => person !== owner);
  const took: number[] = [];
  for (const [nth, person] of leaving.slice(0, endings).entries()) {
    const own = streams.filter((stream) => stream.person === person);
    const ended = own.map(({ response }) => new Promise((resolve) => response.on('close', resolve)));
    const [path, by] =
      nth % 2 === 0
        ? [`/v1/workspaces/${owner.workspaceId}/members/${person.userId}`, owner]
        : [`/v1/me/sessions/${person.sessionId}`, person];
    await call({ url }, 'DELETE', path, undefined, { ...headers, authorization: `Bearer ${by.token}` });
    const answeredAt = performance.now();
    await Promise.all(ended);
    took.push(performance.now() - answeredAt);
    await sleep(Math.random() * 500);
  }
  const most = percentile(took, 1);
  console.log(
    `ended rights: the last stream of each was ended ${percentile(took, 0.5)} ms (median), ${most} ms (most) after`,
  );
  if (most >= latencyMsMax) process.exitCode = 1;
}

async function prove(place: Pair): Promise<void> {
  const [first, second] = place.urls;
  const workspaces = await makePeople(place);
  const people = workspaces.flat();
  for (const [owner] of workspaces) if (owner !== undefined) for (const url of place.urls) await makeTicket(url, owner);
  await sleep(3_000);
  const idleMb = await residentMb(first);
  const streams = await openAll(
    first,
    people.flatMap((person) => Array.from({ length: streamsPerMember }, () => person)),
  );
  const others = await openAll(second, people);
  const openMb = await residentMb(first);
  const all = Map.groupBy([...streams, ...others], ({ person }) => person.workspaceId);
  const streamsOf = new Map([...all].map(([workspaceId, of]) => [workspaceId, of.length]));
  console.log(`${streams.length} streams at the first process, ${others.length} at the second, ${all.size} workspaces`);
  await makeChanges(place, workspaces, streamsOf);
  const [owner] = workspaces[0] ?? [];
  if (owner !== undefined)
    await endRights(place, all.get(owner.workspaceId)?.filter((s) => streams.includes(s)) ?? [], owner);
  const mostMb = Math.max(openMb, await residentMb(first));
  console.log(
    `resident: ${idleMb} MB idle, ${openMb} MB with the streams, ${mostMb} MB at most; limit +${riseMbMax} MB`,
  );
  if (mostMb - idleMb >= riseMbMax) process.exitCode = 1;
}

await proveAt(2, ({ house, urls: [first = '', second = ''] }) => prove({ house, urls: [first, second] }));
// Exits without waiting for the streams that are still open.
process.exit();
