import { expect } from 'vitest';
import type { UserId } from '../../../src/ground/lib/ids.ts';
import type { EventReader } from '../../harness/event-reader.ts';
import type { House } from '../../harness/harness.ts';
import type { Person } from '../factories.ts';

/** What a random walk over teams knows: the rules of docs/teams.md, said again. */

export type WalkMember = { person: Person; access: 'all' | 'teams'; stream: EventReader; at: { url: string } };
type Team = { isRestricted: boolean; members: Set<UserId> };
export type WalkTicket = {
  team: string | null;
  assignee: UserId | null;
  followers: Set<UserId>;
  mergedInto: string | null;
};
export type Walk = {
  house: House;
  owner: Person;
  members: Map<UserId, WalkMember>;
  teams: Map<string, Team>;
  tickets: Map<string, WalkTicket>;
  mailboxes: Map<string, string | null>;
  /** A ticket that everybody follows: its events tell how far a stream has come. */
  beacon: string;
  random: (below: number) => number;
};

/** Numbers that are the same for each seed (mulberry32). */
export function numbersOf(seed: number): Walk['random'] {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export function sees({ members, teams }: Walk, ticket: WalkTicket, userId: UserId): boolean {
  if (ticket.assignee === userId || ticket.followers.has(userId)) return true;
  const team = ticket.team === null ? undefined : teams.get(ticket.team);
  if (team?.members.has(userId)) return true;
  return members.get(userId)?.access === 'all' && team?.isRestricted !== true;
}

/** What is hidden from each member, as their streams know it: the stream of a member ends where this changes. */
export function hiddenFromEach({ members, teams }: Walk): Map<UserId, string> {
  const hiddenFrom = ([userId, { access }]: [UserId, WalkMember]) => {
    if (access === 'teams') return 'others';
    return [...teams.values()].some((team) => team.isRestricted && !team.members.has(userId)) ? 'restricted' : '';
  };
  return new Map([...members].map((each) => [each[0], hiddenFrom(each)]));
}

export function pick<Item>({ random }: Walk, items: readonly Item[]): Item {
  const item = items[random(items.length)];
  if (item === undefined) throw new Error('there is nothing to pick');
  return item;
}

export const aMember = (walk: Walk) => pick(walk, [...walk.members]);
export const aTeam = (walk: Walk) => pick(walk, [...walk.teams]);
export const wholeTickets = ({ tickets }: Walk) => [...tickets].filter(([, { mergedInto }]) => mergedInto === null);
export const aTicket = (walk: Walk) => pick(walk, wholeTickets(walk));

export async function done(by: Person, method: string, path: string, body?: object): Promise<any> {
  const answer = await by.call(method, path, body);
  expect({ method, path, body: answer.body, isDone: answer.status < 300 }).toMatchObject({ isDone: true });
  return answer.body;
}
