import fc from 'fast-check';
import { expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { type Answer, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, type ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { caseKey } from '../../ground/lib/text.ts';
import { summariseTickets } from '../tickets/summary.ts';

const house = useHouse();
const runs = 24;

type Merge = { does: 'merge' | 'mergeAndBack'; ticket: number; into: number };
/** Names tickets and messages by any number, modulo how many exist. */
type Step =
  | { does: 'append' | 'archive' | 'unarchive' | 'unmerge'; ticket: number }
  | { does: 'status'; ticket: number; toStatus: string }
  | Merge
  | { does: 'split'; ticket: number; pick: number }
  | { does: 'reply'; to: number; day: number };

const ticket = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('merge' as const), ticket, into: ticket }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('unmerge' as const), ticket }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('split' as const), ticket, pick: fc.nat(1000) }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('reply' as const), to: fc.nat(40), day: fc.integer({ min: 1, max: 28 }) }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('mergeAndBack' as const), ticket, into: ticket }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constantFrom('append' as const, 'archive' as const, 'unarchive' as const),
      ticket,
    }),
  },
  fc.record({ does: fc.constant('status' as const), ticket, toStatus: fc.constantFrom('open', 'pending', 'closed') }),
);
/** Groups of steps: people do one group at once, then the next. */
const anySequence = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 10 });

type World = {
  owner: Person;
  /** Where each message was written, or moved to by a split. It lies with the last heir of that ticket. */
  homes: Map<string, string>;
  /** The ticket's own folded tags, by ticket. */
  ownTags: Map<string, string[]>;
  /** The message of each mail by Message-ID, in order of arrival. */
  mails: Map<string, string>;
  versions: Map<string, { version: number; content: string }>;
};

type State = {
  tickets: (Awaited<ReturnType<typeof ticketOf>> & { people: string[] })[];
  messages: { id: string; ticketId: string; createdAt: string; mailId: string | null }[];
  added: { messageId: string; ticketId: string }[];
  held: { messageId: string; sourceId: string; targetId: string }[];
};

async function stateOf({ workspaceId, ...owner }: Person): Promise<State> {
  const { db } = house.app;
  const [tickets, people, messages, added, held] = await Promise.all([
    ticketsOf({ workspaceId, ...owner }),
    db.rows<{ ticketId: string; ids: string[] }>(sql`
      select ticket_id as "ticketId", array_agg(contact_id order by contact_id) as ids
      from ticket_participants where workspace_id = ${workspaceId} group by ticket_id`),
    db.rows<State['messages'][number]>(sql`
      select id, ticket_id as "ticketId", created_at as "createdAt", rfc_message_id as "mailId"
      from messages where workspace_id = ${workspaceId} order by id`),
    db.rows<State['added'][number]>(sql`
      select data->>'messageId' as "messageId", ticket_id as "ticketId"
      from activity where workspace_id = ${workspaceId} and type = 'message.added'`),
    db.rows<State['held'][number]>(sql`
      select x.message_id as "messageId", g.source_id as "sourceId", g.target_id as "targetId"
      from ticket_merges g
      left join merged_messages x on x.workspace_id = ${workspaceId} and x.merge_id = g.id
      where g.workspace_id = ${workspaceId}`),
  ]);
  const peopleOf = new Map(people.map(({ ticketId, ids }) => [ticketId, ids]));
  return { tickets: tickets.map((row) => ({ ...row, people: peopleOf.get(row.id) ?? [] })), messages, added, held };
}

async function begin(): Promise<World> {
  const owner = await makeOwner(house);
  const world: World = { owner, homes: new Map(), ownTags: new Map(), mails: new Map(), versions: new Map() };
  for (const tags of [['Vip', 'a'], ['vip', 'b'], ['B']])
    await owner.call('POST', '/tickets', { subject: 'Made', body: 'made', tags });
  await ingest(house, owner, [mailFrom('ann', 2), mailFrom('bea', 9)]);
  const state = await stateOf(owner);
  for (const { id, ticketId } of state.messages) world.homes.set(id, ticketId);
  for (const { id, tags } of state.tickets) world.ownTags.set(id, tags.map(caseKey));
  learn(world, state);
  return world;
}

let mailCount = 0;
function mailFrom(name: string, day: number, inReplyTo = ''): Buffer {
  const headers = {
    From: `${name} <${name}@example.org>`,
    Date: new Date(Date.UTC(2026, 2, day, 10, 0, ++mailCount % 60)).toUTCString(),
    'Message-ID': `<any${mailCount}@example.org>`,
    Subject: `Mail ${mailCount}`,
    'In-Reply-To': inReplyTo,
  };
  return mailOf({ headers });
}

/** Notes the mails and messages that came since. */
function learn(world: World, state: State): void {
  const addedTo = new Map(state.added.map(({ messageId, ticketId }) => [messageId, ticketId]));
  for (const { id, mailId } of state.messages) {
    if (mailId !== null) world.mails.set(mailId, id);
    if (!world.homes.has(id)) world.homes.set(id, addedTo.get(id) ?? 'nowhere');
  }
}

const pickOf = <Item>(items: Item[], nth: number): Item => items[nth % items.length] as Item;
/** Mostly picks a ticket with which the step is possible. */
function ticketFor({ tickets }: State, verb: Step['does'], nth: number): State['tickets'][number] {
  const fit = tickets.filter(({ mergedIntoId }) => (mergedIntoId !== null) === (verb === 'unmerge'));
  return pickOf(fit.length === 0 || nth % 7 === 6 ? tickets : fit, nth);
}
const isClear = ({ status }: Answer) => expect([200, 201, 404, 409]).toContain(status);

async function perform(world: World, before: State, does: Step): Promise<void> {
  const { owner } = world;
  if (does.does === 'reply') {
    const [mailId] = pickOf([...world.mails], does.to);
    await ingest(house, owner, [mailFrom(pickOf(['ann', 'bea', 'cem'], does.to), does.day, `<${mailId}>`)]);
    return;
  }
  const { id } = ticketFor(before, does.does, does.ticket);
  const post = (verb: string, body?: object) => owner.call('POST', `/tickets/${id}/${verb}`, body);
  if (does.does === 'append') return isClear(await post('messages', { body: 'appended' }));
  if (does.does === 'status') return isClear(await post('status', { toStatus: does.toStatus }));
  if (does.does === 'merge' || does.does === 'mergeAndBack')
    return isClear(await post('merge', { targetTicketId: ticketFor(before, 'merge', does.into).id }));
  if (does.does !== 'split') return isClear(await post(does.does));
  const there = before.messages.filter(({ ticketId }) => ticketId === id);
  const messageIds = there.filter((_, at) => (does.pick >> (at % 10)) & 1).map((message) => message.id);
  if (messageIds.length === 0) return;
  const answer = await post('split', { messageIds });
  isClear(answer);
  if (answer.status !== 201) return;
  for (const messageId of messageIds) world.homes.set(messageId, answer.body.ticket.id);
  world.ownTags.set(answer.body.ticket.id, answer.body.ticket.tags.map(caseKey));
}

/**
 * A ticket without the fields that every change updates, and without the member's unread mark, which messages do not
 * show.
 */
const lasting = ({ version: _, updatedAt: __, unread: ___, ...rest }: State['tickets'][number]) => rest;

async function mergeAndBack({ owner }: World, before: State, does: Merge): Promise<void> {
  const [source, target] = [ticketFor(before, 'merge', does.ticket), ticketFor(before, 'merge', does.into)];
  const merged = await owner.call('POST', `/tickets/${source.id}/merge`, { targetTicketId: target.id });
  if (merged.status !== 200) return isClear(merged);
  expect((await owner.call('POST', `/tickets/${source.id}/unmerge`)).status).toBe(200);
  const after = await stateOf(owner);
  expect(after.tickets.map(lasting)).toEqual(before.tickets.map(lasting));
  expect(after.messages).toEqual(before.messages);
  expect(new Set(after.held.map((row) => JSON.stringify(row)))).toEqual(
    new Set(before.held.map((row) => JSON.stringify(row))),
  );
}

function check(world: World, { tickets, messages, held }: State): void {
  const byId = new Map(tickets.map((row) => [row.id, row]));
  const lastHeir = (id: string): string => {
    for (let at = byId.get(id), hops = 0; ; at = byId.get(at.mergedIntoId)) {
      expect(hops++, 'no cycle').toBeLessThan(tickets.length);
      if (at.mergedIntoId === null) return at.id;
    }
  };
  expect(messages.map(({ id }) => id).sort()).toEqual([...world.homes.keys()].sort());
  for (const { id, ticketId } of messages) expect(ticketId, id).toBe(lastHeir(world.homes.get(id) ?? ''));
  for (const { messageId, sourceId, targetId } of held) {
    expect(byId.get(sourceId)?.mergedIntoId).toBe(targetId);
    if (messageId !== null) expect(lastHeir(sourceId)).toBe(messages.find(({ id }) => id === messageId)?.ticketId);
  }
  for (const row of tickets) {
    const own = messages.filter(({ ticketId }) => ticketId === row.id).map(({ createdAt }) => createdAt);
    expect(row.messageCount).toBe(own.length);
    if (own.length > 0) expect(row.lastMessageAt).toBe(own.sort().at(-1));
    if (row.mergedIntoId !== null) expect(row).toMatchObject({ status: 'closed', messageCount: 0, snoozedUntil: null });
    expect(held.some(({ sourceId }) => sourceId === row.id)).toBe(row.mergedIntoId !== null);
    const sources = tickets.filter(({ mergedIntoId }) => mergedIntoId === row.id);
    const tags = [world.ownTags.get(row.id) ?? [], ...sources.map((source) => source.tags.map(caseKey))].flat();
    expect(row.tags.map(caseKey).sort()).toEqual([...new Set(tags)].sort());
    expect(row.people).toEqual(expect.arrayContaining(sources.flatMap(({ people }) => people)));
    checkVersion(world, row);
  }
}

/** Checks that each row's summary matches its messages, and that no change leaves a stale row. */
async function checkSummaries({ owner }: World): Promise<void> {
  const { db } = house.app;
  const stale = await db.rows(sql`
    select ticket_number from tickets
    where workspace_id = ${owner.workspaceId} and summary_version is distinct from version`);
  expect(stale).toEqual([]);
  const kept = await ticketsOf(owner);
  await db.tx((tx) => tx.run(sql`update tickets set summary_version = null where workspace_id = ${owner.workspaceId}`));
  await summariseTickets(db);
  expect(await ticketsOf(owner)).toEqual(kept);
}

/** Checks that the version only grows, and grows with every visible change. */
function checkVersion({ versions }: World, row: State['tickets'][number]): void {
  const content = JSON.stringify(lasting({ ...row, people: [] }));
  const before = versions.get(row.id) ?? { version: 0, content };
  expect(row.version).toBeGreaterThanOrEqual(before.version + (content === before.content ? 0 : 1));
  versions.set(row.id, { version: row.version, content });
}

/** Allows for a concurrent split or unmerge, which may take the parent away after the reply has come. */
function checkReplies(world: World, before: World['mails'], state: State, group: Step[]): void {
  if (group.some(({ does }) => does === 'split' || does === 'unmerge')) return;
  const placeOf = new Map(state.messages.map(({ id, ticketId }) => [id, ticketId]));
  const came = [...world.mails].filter(([mailId]) => !before.has(mailId)).map(([, id]) => placeOf.get(id));
  const parents = group.flatMap((does) =>
    does.does === 'reply' ? [placeOf.get(pickOf([...before], does.to)[1])] : [],
  );
  expect(came.sort()).toEqual(parents.sort());
}

it('any sequence of merges, unmerges, splits, answers and mails, several at once, keeps each message', async () => {
  await fc.assert(
    fc.asyncProperty(anySequence, async (groups) => {
      const world = await begin();
      let state = await stateOf(world.owner);
      for (const group of groups) {
        const mailsBefore = new Map(world.mails);
        const [first] = group;
        if (group.length === 1 && first?.does === 'mergeAndBack') await mergeAndBack(world, state, first);
        else await Promise.all(group.map((does) => perform(world, state, does)));
        state = await stateOf(world.owner);
        learn(world, state);
        check(world, state);
        checkReplies(world, mailsBefore, state, group);
      }
      await checkSummaries(world);
      for (const { id, mergedIntoId } of state.tickets)
        if (mergedIntoId !== null) await world.owner.call('POST', `/tickets/${id}/unmerge`);
      const parted = await stateOf(world.owner);
      check(world, parted);
      expect(parted.tickets.filter(({ mergedIntoId }) => mergedIntoId !== null)).toEqual([]);
    }),
    { numRuns: runs, endOnFailure: true },
  );
}, 120_000);
