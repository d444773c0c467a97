import { expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { randomOf } from '../../../test/harness/random.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse();

/** Moves all that has happened so far into the past. */
async function pass({ workspaceId }: Person, span: string): Promise<void> {
  await house.app.db.tx(async (tx) => {
    const ofThem = sql`where workspace_id = ${workspaceId}`;
    await tx.run(sql`
      update tickets set created_at = ${earlier(sql`created_at`, span)}, closed_at = ${earlier(sql`closed_at`, span)}
      ${ofThem}`);
    await tx.run(sql`
      update messages set created_at = ${earlier(sql`created_at`, span)},
        arrived_at = ${earlier(sql`arrived_at`, span)}, delivery_sent_at = ${earlier(sql`delivery_sent_at`, span)}
      ${ofThem}`);
    await tx.run(sql`update activity set created_at = ${earlier(sql`created_at`, span)} ${ofThem}`);
    // No fact tells of times that move.
    await tx.run(sql`delete from report_readers ${ofThem}`);
  });
}

const day = 86_400_000;
const span = (fromDays: number, toDays: number) => {
  const at = (days: number) => new Date(Date.now() + days * day).toISOString();
  return `from=${at(fromDays)}&to=${at(toDays)}`;
};
const listOf = async (person: Person, query: string): Promise<any[]> =>
  (await person.call('GET', `/tickets?${query}`)).body;
const read = async (person: Person, what: string, query: string) => {
  const answer = await person.call('GET', `/reports/${what}?${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};

test('any history: every figure is what an outside count says, and its list has as many tickets', async () => {
  const owner = await makeOwner(house);
  const random = randomOf(20_261_130);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const steps: Record<string, (ticket: any) => Promise<unknown>> = {
    create: () => owner.call('POST', '/tickets', { subject: 's', body: 'b', requester: { email: 'ann@example.org' } }),
    mail: () => ingest(house, owner, [mailOf()]),
    old: () => ingest(house, owner, [mailOf({ headers: { Subject: `old ${random()}` } })], 'import'),
    reply: ({ id }) => owner.call('POST', `/tickets/${id}/messages`, { body: 'Answer.' }),
    note: ({ id }) => owner.call('POST', `/tickets/${id}/messages`, { body: 'Note.', isInternal: true }),
    status: ({ id }) => owner.call('POST', `/tickets/${id}/status`, { toStatus: pick(['open', 'pending', 'closed']) }),
    snooze: ({ id }) =>
      owner.call('PATCH', `/tickets/${id}`, { snoozedUntil: new Date(Date.now() + day).toISOString() }),
    trash: ({ id }) => owner.call('DELETE', `/tickets/${id}`),
    spam: ({ id }) => owner.call('POST', `/tickets/${id}/spam`),
    merge: async ({ id }) => {
      const other = pick(await ticketsOf(owner));
      await owner.call('POST', `/tickets/${other.id}/merge`, { targetTicketId: id });
    },
    unmerge: ({ id }) => owner.call('POST', `/tickets/${id}/unmerge`),
  };
  const names = Object.keys(steps);
  for (let number = 0; number < 120; number++) {
    const tickets = await ticketsOf(owner);
    const name = tickets.length < 4 ? 'create' : pick([...names, 'reply', 'reply', 'status', 'create']);
    await steps[name]?.(pick(tickets));
    if (number % 10 === 5) await read(owner, 'overview', `${span(-30, 1)}&interval=day`);
    await pass(owner, `${Math.floor(random() * 40_000)} seconds`);
  }
  const stories = await readStories(owner);
  let seen = 0;
  for (const [from, to] of [
    [-400, 1],
    [-30, -10],
    [-12, -3],
    [-5, 1],
  ] as const) {
    const query = span(from, to);
    const [, begin = '', end = ''] = /from=(.*)&to=(.*)/.exec(query) ?? [];
    const expected = expectedFigures(stories, Date.parse(begin), Date.parse(end));
    const { figures, series } = await read(owner, 'overview', `${query}&interval=week&timeZone=America/New_York`);
    expect(figures).toMatchObject(expected);
    for (const name of ['created', 'firstResponse', 'response', 'resolution', 'reopened', 'oneTouch']) {
      const number = figures[name].tickets ?? figures[name];
      const list = await owner.call('GET', `/tickets?archived=any&limit=500&happened=${name}/${begin}/${end}`);
      expect([name, list.body.length]).toEqual([name, number]);
      seen += number;
    }
    expect(series.reduce((sum: number, one: any) => sum + one.response.count, 0)).toBe(figures.response.count);
    const ends = [...series.slice(1).map(({ at }: any) => Date.parse(at)), Date.parse(end)];
    expect(series.map((one: any) => one.backlog)).toEqual(ends.map((at) => openAt(stories, at)));
    seen += await countedOfMembers(owner, begin, end);
    const { groups } = await read(owner, 'groups', `${query}&by=channel`);
    expect(groups.reduce((sum: number, one: any) => sum + one.created, 0)).toBe(figures.created);
    const csv = await owner.call('GET', `/reports/tickets.csv?${query}`);
    expect(String(csv.body).trim().split('\r\n').length - 1).toBe(figures.created);
  }
  expect(seen).toBeGreaterThan(60);
});

/** Compares the numbers of each member with the lists that they open. @returns how many tickets these have */
async function countedOfMembers(person: Person, begin: string, end: string): Promise<number> {
  const { groups } = await read(person, 'groups', `from=${begin}&to=${end}&by=member`);
  let seen = 0;
  for (const { key, ...figures } of groups)
    for (const name of ['firstResponse', 'response', 'resolution', 'oneTouch']) {
      const happened = `${name}/${begin}/${end}/${key ?? 'none'}`;
      const list = await person.call('GET', `/tickets?archived=any&limit=500&happened=${happened}`);
      expect([key, name, list.body.length]).toEqual([key, name, figures[name].tickets ?? figures[name]]);
      seen += list.body.length;
    }
  return seen;
}

/** How many tickets were not closed at a time. */
function openAt(stories: readonly Story[], at: number): number {
  return stories.filter(({ turns }) => turns.findLast((turn) => turn.at < at)?.isOpen === true).length;
}

test('figures that follow the facts are those of a new count', async () => {
  const owner = await makeOwner(house);
  const random = randomOf(7);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const rows = () =>
    house.app.db.rows<object>(sql`
      select m.*, (
        select json_agg(r order by r.message_id) from ticket_responses r
        where r.workspace_id = m.workspace_id and r.ticket_id = m.ticket_id) as responses
      from ticket_metrics m where m.workspace_id = ${owner.workspaceId} order by m.ticket_id`);
  await read(owner, 'overview', `${span(-1, 1)}&interval=day`);
  for (let number = 0; number < 90; number++) {
    const tickets = await ticketsOf(owner);
    const [spam, trash] = await Promise.all([listOf(owner, 'spam=true'), listOf(owner, 'trash=true')]);
    const { id = '' } = tickets.length === 0 ? {} : pick(tickets);
    const create = ['POST', '/tickets', { subject: 's', body: 'b', requester: { email: 'ann@example.org' } }] as const;
    const [method, path, body] = pick([
      create,
      create,
      create,
      ['POST', `/tickets/${id}/messages`, { body: 'Answer.' }],
      ['POST', `/tickets/${id}/status`, { toStatus: pick(['open', 'pending', 'closed']) }],
      ['POST', `/tickets/${id}/merge`, { targetTicketId: tickets[0]?.id }],
      ['POST', `/tickets/${id}/unmerge`, {}],
      ['POST', `/tickets/${id}/spam`, {}],
      ['POST', `/tickets/${spam[0]?.id}/not-spam`, {}],
      ['DELETE', `/tickets/${id}`, undefined],
      ['POST', `/tickets/${trash[0]?.id}/restore`, {}],
    ] as const);
    await owner.call(method, path, body);
    if (number % 7 === 0) await read(owner, 'overview', `${span(-1, 1)}&interval=day`);
  }
  await read(owner, 'overview', `${span(-1, 1)}&interval=day`);
  const followed = await rows();
  await house.app.db.tx((tx) => tx.run(sql`delete from report_readers where workspace_id = ${owner.workspaceId}`));
  await house.app.db.tx((tx) => tx.run(sql`delete from ticket_metrics where workspace_id = ${owner.workspaceId}`));
  await read(owner, 'overview', `${span(-1, 1)}&interval=day`);
  expect(followed.length).toBeGreaterThan(5);
  expect(await rows()).toEqual(followed);
});

/** Recomputes figures of reports from what the API tells of each ticket, in another way than the service does. */

type Wait = { end: number; seconds: number; isFirst: boolean; by: string | null };
type Story = {
  id: string;
  created: number;
  waits: Wait[];
  resolved?: { at: number; seconds: number };
  reopens: number[];
  turns: { at: number; isOpen: boolean }[];
};

const ms = (time: string) => Date.parse(time);

/** Events of a ticket from its first to its last. */
async function eventsOf(person: Person, ticketId: string): Promise<any[]> {
  const items: any[] = [];
  let cursor = '';
  do {
    const { body } = await person.call('GET', `/tickets/${ticketId}/events?limit=100${cursor}`);
    items.push(...body.items);
    cursor = body.nextCursor === undefined ? '' : `&cursor=${encodeURIComponent(body.nextCursor)}`;
  } while (cursor !== '');
  return items;
}

async function messagesOf(person: Person, ticketId: string): Promise<any[]> {
  const { body } = await person.call('GET', `/tickets/${ticketId}/messages?limit=100`);
  return body.messages;
}

/** The stories of tickets that count: not merged, in no trash, no spam. */
async function readStories(person: Person): Promise<Story[]> {
  const lists = await Promise.all(
    ['snoozed=false', 'snoozed=true'].map((one) => person.call('GET', `/tickets?archived=any&limit=500&${one}`)),
  );
  const tickets = lists.flatMap(({ body }) => body).filter(({ mergedIntoId }: any) => mergedIntoId === null);
  return Promise.all(tickets.map((ticket: any) => readStory(person, ticket)));
}

async function readStory(person: Person, ticket: any): Promise<Story> {
  const [events, messages] = await Promise.all([eventsOf(person, ticket.id), messagesOf(person, ticket.id)]);
  type Step = {
    at: number;
    order: number;
    name: 'customer' | 'answer' | 'close' | 'reopen';
    end: number;
    by: string | null;
  };
  const steps: Step[] = [];
  for (const { direction, createdAt, author, delivery, automaticKind } of messages) {
    const isPerson = automaticKind === null || (direction === 'inbound' && automaticKind === 'list');
    const at = ms(createdAt);
    if (direction === 'inbound' && author.type === 'customer' && isPerson)
      steps.push({ at, order: 0, name: 'customer', end: at, by: null });
    const isAccepted = delivery === null || (delivery.status === 'sent' && !delivery.isFile);
    if (direction === 'outbound' && author.type === 'agent' && isPerson && isAccepted) {
      const end = Math.max(at, delivery?.sentAt ? ms(delivery.sentAt) : at);
      steps.push({ at, order: 0, name: 'answer', end, by: author.userId ?? null });
    }
  }
  for (const { type, data, createdAt } of events) {
    if (type !== 'ticket.status_changed') continue;
    const [was, is] = [data.from === 'closed', data.to === 'closed'];
    const at = ms(createdAt);
    if (was !== is) steps.push({ at, order: 1, name: is ? 'close' : 'reopen', end: at, by: null });
  }
  steps.sort((one, other) => one.at - other.at || one.order - other.order);
  const turn = steps.find(({ name }) => name === 'close' || name === 'reopen')?.name;
  const beganOpen = turn === undefined ? ticket.status !== 'closed' : turn === 'close';
  return { id: ticket.id, created: ms(ticket.createdAt), ...follow(ms(ticket.createdAt), beganOpen, steps) };
}

function follow(
  created: number,
  beganOpen: boolean,
  steps: readonly { at: number; name: string; end: number; by: string | null }[],
) {
  const waits: Wait[] = [];
  const turns = [{ at: created, isOpen: beganOpen }];
  const reopens: number[] = [];
  let [waiting, openSince, spent]: [number | undefined, number | undefined, number] = [undefined, created, 0];
  let resolved: Story['resolved'];
  for (const { at, name, end, by } of steps) {
    if (name === 'customer') waiting ??= at;
    if (name === 'answer' && waiting !== undefined) {
      waits.push({ end, seconds: Math.floor((end - waiting) / 1_000), isFirst: waits.length === 0, by });
      waiting = undefined;
    }
    if (name === 'close' || name === 'reopen') turns.push({ at, isOpen: name === 'reopen' });
    if (name === 'close') {
      waiting = undefined;
      spent += at - (openSince ?? at);
      openSince = undefined;
      resolved = { at, seconds: Math.floor(spent / 1_000) };
    }
    if (name === 'reopen') {
      reopens.push(at);
      openSince = at;
      resolved = undefined;
    }
  }
  return { waits, reopens, turns, ...(resolved && { resolved }) };
}

type Expected = { count: number; tickets: number; mean: number | null; median: number | null; p90: number | null };

function measured(waits: readonly { id: string; seconds: number }[]): Expected {
  const sorted = waits.map(({ seconds }) => seconds).sort((one, other) => one - other);
  const quantile = (part: number) => {
    if (sorted.length === 0) return null;
    const place = part * (sorted.length - 1);
    const [low = 0, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
    return Math.round(low + (high - low) * (place - Math.floor(place)));
  };
  return {
    count: sorted.length,
    tickets: new Set(waits.map(({ id }) => id)).size,
    mean: sorted.length === 0 ? null : Math.round(sorted.reduce((sum, one) => sum + one, 0) / sorted.length),
    median: quantile(0.5),
    p90: quantile(0.9),
  };
}

/** What a report must say of a span. */
function expectedFigures(stories: readonly Story[], from: number, to: number) {
  const isIn = (at: number) => at >= from && at < to;
  const waits = stories
    .flatMap(({ id, waits: own }) => own.map((wait) => ({ id, ...wait })))
    .filter(({ end }) => isIn(end));
  const resolved = stories.flatMap(({ id, resolved: one }) => (one && isIn(one.at) ? [{ id, ...one }] : []));
  return {
    created: stories.filter(({ created }) => isIn(created)).length,
    firstResponse: measured(waits.filter(({ isFirst }) => isFirst)),
    response: measured(waits),
    resolution: measured(resolved),
    reopened: stories.filter(({ reopens }) => reopens.some(isIn)).length,
  };
}
