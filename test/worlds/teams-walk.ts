import { expect } from 'vitest';
import type { UserId } from '../../src/ground/lib/ids.ts';
import { type EventReader, readEvents } from '../harness/event-reader.ts';
import type { House } from '../harness/harness.ts';
import { makeMember, makeOwner, type Person } from './factories.ts';
import { ingestMails, mailOf, sourceOf } from './mails.ts';
import { putMailbox } from './put-mailbox.ts';

type Member = { person: Person; access: 'all' | 'teams'; stream: EventReader };
type Team = { isRestricted: boolean; members: Set<UserId> };
type Ticket = { team: string | null; assignee: UserId | null; followers: Set<UserId>; isMerged: boolean };
type Walk = {
  house: House;
  owner: Person;
  members: Map<UserId, Member>;
  teams: Map<string, Team>;
  tickets: Map<string, Ticket>;
  mailboxes: Map<string, string | null>;
  /** A ticket that everybody follows: its events tell how far a stream has come. */
  beacon: string;
  random: (below: number) => number;
};

/** Numbers that are the same for each seed (mulberry32). */
function numbersOf(seed: number): Walk['random'] {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The rules of docs/teams.md, said again. */
function sees({ members, teams }: Walk, ticket: Ticket, userId: UserId): boolean {
  if (ticket.assignee === userId || ticket.followers.has(userId)) return true;
  const team = ticket.team === null ? undefined : teams.get(ticket.team);
  if (team?.members.has(userId)) return true;
  return members.get(userId)?.access === 'all' && team?.isRestricted !== true;
}

/** Makes random changes of teams, members and tickets, and compares what each member sees with the rules. */
export async function walkTeams(house: House, { seed, steps }: { seed: number; steps: number }): Promise<void> {
  const walk = await begin(house, seed);
  try {
    for (let step = 0; step < steps; step++) {
      const before = hiddenFromEach(walk);
      const name = await change(walk);
      await reopenStreams(walk, before);
      await compare(walk, `step ${step} of seed ${seed}: ${name}`);
    }
  } finally {
    for (const { stream } of walk.members.values()) stream.close();
  }
}

/** What is hidden from each member, as their streams know it: the stream of a member ends where this changes. */
function hiddenFromEach({ members, teams }: Walk): Map<UserId, string> {
  const hiddenFrom = ([userId, { access }]: [UserId, Member]) => {
    if (access === 'teams') return 'others';
    return [...teams.values()].some((team) => team.isRestricted && !team.members.has(userId)) ? 'restricted' : '';
  };
  return new Map([...members].map((each) => [each[0], hiddenFrom(each)]));
}

async function reopenStreams(walk: Walk, before: ReadonlyMap<UserId, string>): Promise<void> {
  for (const [userId, hidden] of hiddenFromEach(walk)) {
    const member = walk.members.get(userId);
    if (member === undefined || hidden === before.get(userId)) continue;
    await member.stream.ended;
    member.stream = await openStream(walk.house, member.person, member.stream.lastEventId());
  }
}

async function begin(house: House, seed: number): Promise<Walk> {
  const owner = await makeOwner(house);
  const { workspaceId } = owner;
  const walk: Walk = {
    ...{ house, owner, members: new Map(), teams: new Map(), tickets: new Map(), mailboxes: new Map() },
    ...{ beacon: '', random: numbersOf(seed) },
  };
  walk.beacon = (await done(owner, 'POST', '/tickets', { subject: 'beacon', body: 'pumpkin' })).id;
  for (const role of ['admin', 'agent', 'agent', 'viewer'] as const) {
    const person = await makeMember(house, workspaceId, role);
    await done(owner, 'POST', `/tickets/${walk.beacon}/followers`, { userId: person.userId });
    walk.members.set(person.userId, { person, access: 'all', stream: await openStream(house, person) });
  }
  for (const name of ['People', 'Legal', 'Sales']) {
    const isRestricted = name !== 'Sales';
    const visibility = isRestricted ? 'members' : 'workspace';
    const { id } = await done(owner, 'POST', '/teams', { name, visibility });
    walk.teams.set(id, { isRestricted, members: new Set() });
    const address = `${id}@example.com`;
    const mailbox = await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken: 'r' });
    await done(owner, 'PATCH', `/mailboxes/${mailbox.id}`, { teamId: id });
    walk.mailboxes.set(mailbox.id, id);
  }
  for (let count = 0; count < 6; count++) await arrive(walk);
  return walk;
}

async function done(by: Person, method: string, path: string, body?: object): Promise<any> {
  const answer = await by.call(method, path, body);
  expect({ method, path, body: answer.body, isDone: answer.status < 300 }).toMatchObject({ isDone: true });
  return answer.body;
}

async function openStream(house: House, person: Person, lastEventId?: string): Promise<EventReader> {
  const stream = await readEvents(house, person, lastEventId === undefined ? {} : { lastEventId });
  await stream.until(() => stream.lastEventId() !== '' || lastEventId !== undefined);
  return stream;
}

/** @returns what was done */
function change(walk: Walk): Promise<string> {
  const changes = [arrive, reply, join, leave, move, move, assign, follow, unfollow, merge, restrict, limit];
  return pick(walk, changes)(walk);
}

function pick<Item>({ random }: Walk, items: readonly Item[]): Item {
  const item = items[random(items.length)];
  if (item === undefined) throw new Error('there is nothing to pick');
  return item;
}

const aMember = (walk: Walk) => pick(walk, [...walk.members]);
const aTeam = (walk: Walk) => pick(walk, [...walk.teams]);
const aTicket = (walk: Walk) =>
  pick(
    walk,
    [...walk.tickets].filter(([, { isMerged }]) => !isMerged),
  );

let mails = 0;

async function arrive(walk: Walk): Promise<string> {
  const { house, owner, tickets } = walk;
  const [mailboxId, team] = pick(walk, [...walk.mailboxes]);
  const id = `<walk-${++mails}@example.org>`;
  const content = mailOf({ headers: { 'Message-ID': id, Subject: `Mail ${mails}` }, body: 'pumpkin' });
  await ingestMails(house.app, { ...sourceOf(house, owner), mailboxId }, [content]);
  // Mail of a mailbox is due work.
  await house.drain();
  const listed = await done(owner, 'GET', '/tickets?sort=createdAt&limit=500');
  const made = listed.find((each: any) => each.id !== walk.beacon && !tickets.has(each.id));
  tickets.set(made.id, { team, assignee: null, followers: new Set(), isMerged: false });
  return `a mail makes ${made.id}`;
}

async function reply(walk: Walk): Promise<string> {
  const [id] = aTicket(walk);
  await done(walk.owner, 'POST', `/tickets/${id}/messages`, { body: 'pumpkin', isInternal: true });
  return `a note on ${id}`;
}

async function join(walk: Walk): Promise<string> {
  const [[teamId, team], [userId]] = [aTeam(walk), aMember(walk)];
  await done(walk.owner, 'PUT', `/teams/${teamId}/members/${userId}`, {});
  team.members.add(userId);
  return `${userId} joins ${teamId}`;
}

async function leave(walk: Walk): Promise<string> {
  const [teamId, team] = aTeam(walk);
  const [userId] = team.members;
  if (userId === undefined) return join(walk);
  await done(walk.owner, 'DELETE', `/teams/${teamId}/members/${userId}`);
  team.members.delete(userId);
  return `${userId} leaves ${teamId}`;
}

/** Moves a ticket, as somebody who sees it. */
async function move(walk: Walk): Promise<string> {
  const [[id, ticket], [teamId]] = [aTicket(walk), aTeam(walk)];
  const to = walk.random(4) === 0 ? null : teamId;
  const movers = [...walk.members].filter(([, { person }]) => !person.email.startsWith('viewer'));
  const [userId, { person }] = pick(walk, movers);
  const answer = await person.call('PATCH', `/tickets/${id}`, { teamId: to });
  if (!sees(walk, ticket, userId)) {
    expect(answer.status).toBe(404);
    return `${userId} may not move ${id}`;
  }
  ticket.team = to;
  expect([answer.status, answer.body.isHidden ?? false]).toEqual([200, !sees(walk, ticket, userId)]);
  return `${userId} moves ${id} to ${to}`;
}

async function assign(walk: Walk): Promise<string> {
  const [[id, ticket], [userId]] = [aTicket(walk), aMember(walk)];
  const to = walk.random(3) === 0 ? null : userId;
  const answer = await walk.owner.call('PATCH', `/tickets/${id}`, { assigneeId: to });
  const isOutside = to !== null && ticket.assignee !== to && !ticket.followers.has(to) && isHiddenBy(walk, ticket, to);
  expect(answer.status).toBe(isOutside ? 409 : 200);
  if (!isOutside) ticket.assignee = to;
  return `${id} is assigned to ${to}`;
}

function isHiddenBy({ teams }: Walk, { team }: Ticket, userId: UserId): boolean {
  const found = team === null ? undefined : teams.get(team);
  return found?.isRestricted === true && !found.members.has(userId);
}

async function follow(walk: Walk): Promise<string> {
  const [[id, ticket], [userId]] = [aTicket(walk), aMember(walk)];
  await done(walk.owner, 'POST', `/tickets/${id}/followers`, { userId });
  ticket.followers.add(userId);
  return `${userId} follows ${id}`;
}

async function unfollow(walk: Walk): Promise<string> {
  const [id, ticket] = aTicket(walk);
  const [userId] = ticket.followers;
  if (userId === undefined) return follow(walk);
  await done(walk.owner, 'DELETE', `/tickets/${id}/followers/${userId}`);
  ticket.followers.delete(userId);
  return `${userId} follows ${id} no more`;
}

async function merge(walk: Walk): Promise<string> {
  const [[id, ticket], [targetTicketId, target]] = [aTicket(walk), aTicket(walk)];
  if (id === targetTicketId || walk.random(2) === 0) return arrive(walk);
  await done(walk.owner, 'POST', `/tickets/${id}/merge`, { targetTicketId });
  ticket.isMerged = true;
  // Whoever follows the source goes along where their teams show them the target.
  const ofTeam = { ...target, assignee: null, followers: new Set<UserId>() };
  for (const userId of ticket.followers) if (sees(walk, ofTeam, userId)) target.followers.add(userId);
  return `${id} is merged into ${targetTicketId}`;
}

async function restrict(walk: Walk): Promise<string> {
  const [id, team] = aTeam(walk);
  team.isRestricted = !team.isRestricted;
  const visibility = team.isRestricted ? 'members' : 'workspace';
  await done(walk.owner, 'PATCH', `/teams/${id}`, { visibility });
  return `${id} shows its tickets to ${visibility}`;
}

async function limit(walk: Walk): Promise<string> {
  const [userId, member] = aMember(walk);
  member.access = member.access === 'all' ? 'teams' : 'all';
  await done(walk.owner, 'PATCH', `/members/${userId}`, { access: member.access });
  return `${userId} sees ${member.access}`;
}

/** Compares list, search, counts, reads and streams of each member with the rules. */
async function compare(walk: Walk, name: string): Promise<void> {
  const { owner, members, tickets, beacon } = walk;
  const [pinged, ticket] = aTicket(walk);
  const marks = new Map<UserId, number>();
  for (const [userId, member] of members) {
    if (member.stream.isWhole())
      member.stream = await openStream(walk.house, member.person, member.stream.lastEventId());
    marks.set(userId, member.stream.events.length);
  }
  for (const id of [pinged, beacon]) {
    const { priority } = await done(owner, 'GET', `/tickets/${id}`);
    await done(owner, 'PATCH', `/tickets/${id}`, { priority: priority === 'high' ? 'low' : 'high' });
  }
  for (const [userId, member] of members) {
    const { person } = member;
    const shown = [...tickets].flatMap(([id, each]) => (sees(walk, each, userId) ? [id] : []));
    const open = [beacon, ...shown.filter((id) => tickets.get(id)?.isMerged === false)].toSorted();
    const idsOf = async (query: string) =>
      (await done(person, 'GET', `/tickets?limit=500&${query}`)).map(({ id }: { id: string }) => id).toSorted();
    expect(await idsOf('status=open'), name).toEqual(open);
    expect(await idsOf('search=pumpkin'), name).toEqual(open);
    const { lists } = await done(person, 'GET', '/counts');
    expect(lists.open.count, name).toBe(open.length);
    const one = pick(walk, [...tickets.keys()]);
    expect((await person.call('GET', `/tickets/${one}`)).status === 200, name).toBe(shown.includes(one));
    await hearPing(walk, member, { name, pinged, isSeen: sees(walk, ticket, userId), from: marks.get(userId) ?? 0 });
  }
}

type Ping = { name: string; pinged: string; isSeen: boolean; from: number };

async function hearPing(walk: Walk, member: Member, { name, pinged, isSeen, from }: Ping): Promise<void> {
  const isFar = (events: { data: any }[]) => events.slice(from).some(({ data }) => data.ticketId === walk.beacon);
  const heard = (await member.stream.until(isFar)).slice(from);
  const ofTicket = heard.filter(({ data }) => data.ticketId === pinged && data.type === 'ticket.priority_changed');
  expect(ofTicket.length > 0, name).toBe(isSeen);
}
