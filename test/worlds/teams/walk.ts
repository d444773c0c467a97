import { expect } from 'vitest';
import { nilId, type UserId } from '../../../src/ground/lib/ids.ts';
import { type EventReader, readEvents } from '../../harness/event-reader.ts';
import { buildReplica, type House } from '../../harness/harness.ts';
import { call, makeMember, makeOwner, type Person } from '../factories.ts';
import { putMailbox } from '../put-mailbox.ts';
import { arrive, changeTeams } from './changes.ts';
import {
  aTicket,
  done,
  hiddenFromEach,
  numbersOf,
  pick,
  sees,
  type Walk,
  type WalkMember,
  wholeTickets,
} from './model.ts';

/** Tokens last an hour. */
const renewedMsMax = 1_800_000;
/** A page of notifications. */
const notificationsMax = 50;

/**
 * Makes random changes of teams, members and tickets, and compares what each member sees with the rules. Of two
 * processes the second serves every other member, and all changes are made in the first.
 */
export async function walkTeams(
  house: House,
  { seed, steps, processes }: { seed: number; steps: number; processes: 1 | 2 },
): Promise<void> {
  const replica = processes === 2 ? await buildReplica(house, 4) : undefined;
  const walk = await begin(house, seed, replica ?? house);
  try {
    let renewedAtMs = house.clock.now().getTime();
    for (let step = 0; step < steps; step++) {
      const before = hiddenFromEach(walk);
      const name = await changeTeams(walk);
      // The gate of another process knows a second later who sees everything.
      if (replica !== undefined && isOther(before, hiddenFromEach(walk))) house.clock.advance(1_000);
      await reopenStreams(walk, before);
      if (house.clock.now().getTime() - renewedAtMs > renewedMsMax) {
        renewedAtMs = house.clock.now().getTime();
        await renewTokens(walk);
      }
      await compare(walk, `step ${step} of seed ${seed}: ${name}`);
    }
  } finally {
    for (const { stream } of walk.members.values()) stream.close();
    await replica?.close();
  }
}

function isOther(before: ReadonlyMap<UserId, string>, after: ReadonlyMap<UserId, string>): boolean {
  return [...after].some(([userId, hidden]) => before.get(userId) !== hidden);
}

async function reopenStreams(walk: Walk, before: ReadonlyMap<UserId, string>): Promise<void> {
  for (const [userId, hidden] of hiddenFromEach(walk)) {
    const member = walk.members.get(userId);
    if (member === undefined || hidden === before.get(userId)) continue;
    await member.stream.ended;
    member.stream = await openStream(member, member.stream.lastEventId());
  }
}

async function renewTokens(walk: Walk): Promise<void> {
  walk.owner = personAt(walk.house, walk.house, walk.owner);
  for (const member of walk.members.values()) {
    member.person = personAt(walk.house, member.at, member.person);
    member.stream.close();
    member.stream = await openStream(member, member.stream.lastEventId());
  }
}

/** The person with a new token, at a process. */
function personAt({ app }: House, at: { url: string }, person: Person): Person {
  const { workspaceId, sessionId, userId } = person;
  const token = app.tokens.sign({ userId, sessionId });
  const headers = { authorization: `Bearer ${token}`, 'x-workspace-id': workspaceId };
  const place = `/v1/workspaces/${workspaceId}`;
  return { ...person, token, call: (method, path, body) => call(at, method, `${place}${path}`, body, headers) };
}

async function begin(house: House, seed: number, other: { url: string }): Promise<Walk> {
  const owner = await makeOwner(house);
  const { workspaceId } = owner;
  const walk: Walk = {
    ...{ house, owner, members: new Map(), teams: new Map(), tickets: new Map(), mailboxes: new Map() },
    ...{ beacon: '', random: numbersOf(seed) },
  };
  walk.beacon = (await done(owner, 'POST', '/tickets', { subject: 'beacon', body: 'pumpkin' })).id;
  for (const [index, role] of (['admin', 'agent', 'agent', 'viewer'] as const).entries()) {
    const at = index % 2 === 0 ? house : other;
    const person = personAt(house, at, await makeMember(house, workspaceId, role));
    await done(owner, 'POST', `/tickets/${walk.beacon}/followers`, { userId: person.userId });
    walk.members.set(person.userId, { person, at, access: 'all', stream: await openStream({ person, at }) });
  }
  for (const name of ['People', 'Legal', 'Sales']) {
    const isRestricted = name !== 'Sales';
    const visibility = isRestricted ? 'members' : 'workspace';
    const before = hiddenFromEach(walk);
    const { id } = await done(owner, 'POST', '/teams', { name, visibility });
    walk.teams.set(id, { isRestricted, members: new Set() });
    await reopenStreams(walk, before);
    const address = `${id}@example.com`;
    const mailbox = await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken: 'r' });
    await done(owner, 'PATCH', `/mailboxes/${mailbox.id}`, { teamId: id });
    walk.mailboxes.set(mailbox.id, id);
  }
  for (let count = 0; count < 6; count++) await arrive(walk);
  return walk;
}

async function openStream(
  { person, at }: Pick<WalkMember, 'person' | 'at'>,
  lastEventId?: string,
): Promise<EventReader> {
  const stream = await readEvents(at, person, lastEventId === undefined ? {} : { lastEventId });
  await stream.until(() => stream.lastEventId() !== '' || lastEventId !== undefined);
  return stream;
}

/** Compares list, search, counts, reads, notifications and streams of each member with the rules. */
async function compare(walk: Walk, name: string): Promise<void> {
  const { owner, members, beacon } = walk;
  const [pinged, ticket] = aTicket(walk);
  const marks = new Map<UserId, number>();
  for (const [userId, member] of members) {
    if (member.stream.isWhole()) member.stream = await openStream(member, member.stream.lastEventId());
    marks.set(userId, member.stream.events.length);
  }
  for (const id of [pinged, beacon]) {
    const { priority } = await done(owner, 'GET', `/tickets/${id}`);
    await done(owner, 'PATCH', `/tickets/${id}`, { priority: priority === 'high' ? 'low' : 'high' });
  }
  const read = pick(walk, [...walk.tickets.keys()]);
  await Promise.all(
    [...members].map(async ([userId, member]) => {
      const ping = { name, pinged, isSeen: sees(walk, ticket, userId), from: marks.get(userId) ?? 0 };
      await Promise.all([
        compareLists(walk, userId, { member, name }),
        compareRead(walk, userId, { member, name, id: read }),
        compareNotifications(walk, userId, { member, name }),
        hearPing(walk, member, ping),
      ]);
    }),
  );
}

type Compared = { member: WalkMember; name: string };

async function compareLists(walk: Walk, userId: UserId, { member: { person }, name }: Compared): Promise<void> {
  const shown = wholeTickets(walk).flatMap(([id, each]) => (sees(walk, each, userId) ? [id] : []));
  const open = [walk.beacon, ...shown].toSorted();
  const idsOf = async (query: string) =>
    (await done(person, 'GET', `/tickets?limit=500&${query}`)).map(({ id }: { id: string }) => id).toSorted();
  expect(await idsOf('status=open'), name).toEqual(open);
  expect(await idsOf('search=pumpkin'), name).toEqual(open);
  const { lists } = await done(person, 'GET', '/counts');
  expect(lists.open.count, name).toBe(open.length);
}

async function compareRead(
  walk: Walk,
  userId: UserId,
  { member: { person }, name, id }: Compared & { id: string },
): Promise<void> {
  const ticket = walk.tickets.get(id);
  if (ticket === undefined) throw new Error(`there is no ticket ${id}`);
  const { status, body } = await person.call('GET', `/tickets/${id}`);
  expect(status === 200, name).toBe(sees(walk, ticket, userId));
  const target = ticket.mergedInto === null ? undefined : walk.tickets.get(ticket.mergedInto);
  const isTargetSeen = target === undefined || sees(walk, target, userId);
  if (status === 200) expect(body.mergedIntoId, name).toBe(isTargetSeen ? ticket.mergedInto : nilId);
}

/** Of what a member was told since the start, they see what is about tickets that they see now. */
async function compareNotifications(walk: Walk, userId: UserId, { member: { person }, name }: Compared): Promise<void> {
  const { rows } = await walk.house.app.db.pool.query<{ referenceId: string; isRead: boolean }>(
    `select reference_id as "referenceId", read_at is not null as "isRead" from notifications
    where workspace_id = $1 and user_id = $2 order by id desc`,
    [person.workspaceId, userId],
  );
  const isShown = ({ referenceId }: { referenceId: string }) => {
    const ticket = walk.tickets.get(referenceId);
    return ticket === undefined || sees(walk, ticket, userId);
  };
  const expected = rows.filter(isShown);
  const { items } = await done(person, 'GET', `/notifications?limit=${notificationsMax}`);
  expect(
    items.map(({ referenceId }: { referenceId: string }) => referenceId),
    name,
  ).toEqual(expected.slice(0, notificationsMax).map(({ referenceId }) => referenceId));
  const { count } = await done(person, 'GET', '/notifications/unread-count');
  expect(count, name).toBe(expected.filter(({ isRead }) => !isRead).length);
}

type Ping = { name: string; pinged: string; isSeen: boolean; from: number };

async function hearPing(walk: Walk, member: WalkMember, { name, pinged, isSeen, from }: Ping): Promise<void> {
  const isFar = (events: { data: any }[]) => events.slice(from).some(({ data }) => data.ticketId === walk.beacon);
  const heard = (await member.stream.until(isFar)).slice(from);
  const ofTicket = heard.filter(({ data }) => data.ticketId === pinged && data.type === 'ticket.priority_changed');
  expect(ofTicket.length > 0, name).toBe(isSeen);
}
