import { describe, expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();
const minuteMs = 60_000;

type Ref = { id: string };
const make = async (person: Person, fields: object = {}) =>
  (await person.call('POST', '/tickets', { subject: 'Printer', body: 'It is on fire.', ...fields })).body;
const from = (name: string) => ({ requester: { email: `${name}@example.org`, name } });
const merge = (person: Person, source: Ref, target: Ref) =>
  person.call('POST', `/tickets/${source.id}/merge`, { targetTicketId: target.id });
const unmerge = (person: Person, { id }: Ref, headers = {}) =>
  person.call('POST', `/tickets/${id}/unmerge`, undefined, headers);
const append = (person: Person, { id }: Ref, body: string) => person.call('POST', `/tickets/${id}/messages`, { body });
const bodiesOf = async (person: Person, { id }: Ref) =>
  (await ticketOf(person, id)).messages.map(({ body }: any) => body.trim());
const tagsOf = async (person: Person, { id }: Ref) => (await ticketOf(person, id)).tags;
const foundBy = async (person: Person, search: string) =>
  (await person.call('GET', `/tickets?archived=any&search=${search}`)).body.map(({ id }: any) => id).sort();
const lastEventOf = async (person: Person, { id }: Ref) =>
  (await person.call('GET', `/tickets/${id}/events`)).body.items.at(-1);
async function pass(minutes: number): Promise<void> {
  house.clock.advance(minutes * minuteMs);
  await house.drain();
}
/** A ticket without what every change changes. */
const lasting = ({ version: _version, updatedAt: _updatedAt, messages, ...ticket }: any) => ({
  ...ticket,
  messages: messages.map((message: any) => ({
    ...message,
    attachments: message.attachments.map(({ url: _url, ...file }: any) => file),
  })),
});

describe('an unmerge', () => {
  it('right after the merge restores both tickets', async () => {
    const owner = await makeOwner(house);
    const target = await make(owner, { ...from('ann'), tags: ['Billing', 'new'] });
    const source = await make(owner, { ...from('bea'), tags: ['billing', 'vip'], priority: 'high' });
    await append(owner, source, 'more');
    const snoozedUntil = new Date(house.clock.now().getTime() + minuteMs).toISOString();
    await owner.call('PATCH', `/tickets/${source.id}`, { snoozedUntil });
    await owner.call('POST', `/tickets/${source.id}/status`, { toStatus: 'pending' });
    await owner.call('POST', `/tickets/${source.id}/archive`);
    const before = [lasting(await ticketOf(owner, source.id)), lasting(await ticketOf(owner, target.id))];
    await merge(owner, source, target);
    expect(await ticketOf(owner, source.id)).toMatchObject({ snoozedUntil: null });
    const { status, body, headers } = await unmerge(owner, source);
    expect(status).toBe(200);
    const after = [await ticketOf(owner, source.id), await ticketOf(owner, target.id)];
    expect(after.map(lasting)).toEqual(before);
    expect(after).toMatchObject([body.ticket, body.target]);
    expect(headers.get('etag')).toBe(`"${body.ticket.version}"`);
    expect(await foundBy(owner, 'bea')).toEqual([source.id]);
    expect(await lastEventOf(owner, source)).toMatchObject({
      type: 'ticket.unmerged',
      data: { fromTicketId: target.id, movedMessages: 2 },
    });
    expect(await lastEventOf(owner, target)).toMatchObject({
      type: 'ticket.unmerged_from',
      data: { sourceTicketId: source.id, movedMessages: 2 },
    });
  });

  it('leaves later messages with the target, and replies follow the message that they answer', async () => {
    const owner = await makeOwner(house);
    await ingest(house, owner, [
      mailOf({ headers: { 'Message-ID': '<s@x.org>', References: '<root@x.org>' }, body: 'of source' }),
    ]);
    const [source] = await ticketsOf(owner);
    const target = await make(owner, { body: 'of target' });
    await merge(owner, source, target);
    const reply = (to: string, id: string, body: string) =>
      mailOf({ headers: { 'In-Reply-To': `<${to}>`, 'Message-ID': `<${id}>` }, body });
    await ingest(house, owner, [reply('s@x.org', 'r@x.org', 'while merged')]);
    await append(owner, target, 'answer');
    await unmerge(owner, source);
    expect(await bodiesOf(owner, source)).toEqual(['of source']);
    expect((await bodiesOf(owner, target)).sort()).toEqual(['answer', 'of target', 'while merged']);
    await ingest(house, owner, [
      reply('s@x.org', 'a@x.org', 'to source'),
      reply('root@x.org', 'b@x.org', 'to its root'),
      reply('r@x.org', 'c@x.org', 'to what was written since'),
    ]);
    expect((await bodiesOf(owner, source)).sort()).toEqual(['of source', 'to its root', 'to source']);
    expect(await bodiesOf(owner, target)).toContain('to what was written since');
  });

  it('takes the messages out of wherever later merges took them, and out of those merges', async () => {
    const owner = await makeOwner(house);
    const [a, b, c] = [
      await make(owner, { body: 'a', tags: ['a'], ...from('ann') }),
      await make(owner, { body: 'b', tags: ['b'], ...from('bea') }),
      await make(owner, { body: 'c', tags: ['c'], ...from('cem') }),
    ];
    await merge(owner, a, b);
    await merge(owner, b, c);
    const { body } = await unmerge(owner, a);
    expect(body.target.id).toBe(c.id);
    expect([await bodiesOf(owner, a), await bodiesOf(owner, b), await bodiesOf(owner, c)]).toEqual([
      ['a'],
      [],
      ['b', 'c'],
    ]);
    expect([await tagsOf(owner, a), await tagsOf(owner, b), await tagsOf(owner, c)]).toEqual([
      ['a'],
      ['b'],
      ['c', 'b'],
    ]);
    expect(await foundBy(owner, 'ann')).toEqual([a.id]);
    expect(await lastEventOf(owner, b)).toMatchObject({ type: 'ticket.unmerged_from', data: { movedMessages: 0 } });
    await unmerge(owner, b);
    expect([await bodiesOf(owner, a), await bodiesOf(owner, b), await bodiesOf(owner, c)]).toEqual([
      ['a'],
      ['b'],
      ['c'],
    ]);
    expect(await tagsOf(owner, c)).toEqual(['c']);
  });

  it('of a merge target takes its sources along, and they can be unmerged later', async () => {
    const owner = await makeOwner(house);
    const [a, b, c] = [
      await make(owner, { body: 'a', tags: ['a'] }),
      await make(owner, { body: 'b' }),
      await make(owner, { body: 'c' }),
    ];
    await merge(owner, a, b);
    await merge(owner, b, c);
    await unmerge(owner, b);
    expect([await bodiesOf(owner, b), await bodiesOf(owner, c)]).toEqual([['a', 'b'], ['c']]);
    expect([await tagsOf(owner, b), await tagsOf(owner, c)]).toEqual([['a'], []]);
    expect(await ticketOf(owner, a.id)).toMatchObject({ mergedIntoId: b.id });
    await unmerge(owner, a);
    expect([await bodiesOf(owner, a), await bodiesOf(owner, b)]).toEqual([['a'], ['b']]);
    expect(await tagsOf(owner, b)).toEqual([]);
  });

  it('keeps tags that another merged ticket also has, until that ticket leaves as well', async () => {
    const owner = await makeOwner(house);
    const target = await make(owner);
    const [one, two] = [await make(owner, { tags: ['vip', 'one'] }), await make(owner, { tags: ['VIP'] })];
    await merge(owner, one, target);
    await merge(owner, two, target);
    expect(await tagsOf(owner, target)).toEqual(['vip', 'one']);
    await unmerge(owner, one);
    expect(await tagsOf(owner, target)).toEqual(['vip']);
    await unmerge(owner, two);
    expect(await tagsOf(owner, target)).toEqual([]);
  });

  it('keeps tags that an agent added to the target, and returns none that an agent removed', async () => {
    const owner = await makeOwner(house);
    const target = await make(owner);
    const source = await make(owner, { tags: ['vip', 'late', 'odd'] });
    await merge(owner, source, target);
    const tag = (tags: string[]) => owner.call('PATCH', `/tickets/${target.id}`, { tags });
    await tag(['late', 'odd']);
    await tag(['late', 'odd', 'vip', 'own']);
    await tag(['late', 'vip', 'own']);
    await unmerge(owner, source);
    expect(await tagsOf(owner, target)).toEqual(['vip', 'own']);
    expect(await tagsOf(owner, source)).toEqual(['vip', 'late', 'odd']);
  });

  it('keeps people who wrote to the target since or became its requester', async () => {
    const owner = await makeOwner(house);
    const target = await make(owner, from('ann'));
    const mailFrom = (name: string, headers = {}) =>
      mailOf({ headers: { From: `${name} <${name}@example.org>`, 'Message-ID': `<${name}@x.org>`, ...headers } });
    await ingest(house, owner, [mailFrom('bea', { Cc: 'cem@example.org, dov@example.org, eve@example.org', To: '' })]);
    const source = (await ticketsOf(owner)).find(({ id }) => id !== target.id);
    await merge(owner, source, target);
    await ingest(house, owner, [
      mailFrom('cem', { 'In-Reply-To': '<bea@x.org>', To: 'Dov <DOV@example.org>', Subject: 'Re: it' }),
    ]);
    await owner.call('PATCH', `/tickets/${target.id}`, { requester: { email: 'eve@example.org' } });
    await unmerge(owner, source);
    for (const stays of ['cem', 'dov', 'eve'])
      expect(await foundBy(owner, stays)).toEqual([source.id, target.id].sort());
    expect(await foundBy(owner, 'bea')).toEqual([source.id]);
  });

  it('knows people by the addresses of contacts that were merged into them', async () => {
    const owner = await makeOwner(house);
    const target = await make(owner, { ...from('ann') });
    await ingest(house, owner, [mailOf({ headers: { From: 'bea@example.org', 'Message-ID': '<p@x.org>' } })]);
    const source = (await ticketsOf(owner)).find(({ id }) => id !== target.id);
    await merge(owner, source, target);
    await ingest(house, owner, [
      mailOf({ headers: { From: 'ann@example.org', 'In-Reply-To': '<p@x.org>', To: 'bea@example.org' } }),
    ]);
    await owner.call('POST', '/tickets', { subject: 'x', body: 'x', ...from('new') });
    const idOf = async (email: string) => (await owner.call('GET', `/contacts?search=${email}`)).body[0].id;
    const [bea, other] = [await idOf('bea@example.org'), await idOf('new@example.org')];
    await owner.call('POST', `/contacts/${bea}/merge`, { targetContactId: other });
    await unmerge(owner, source);
    expect(await foundBy(owner, 'new@example.org')).toEqual(expect.arrayContaining([source.id, target.id]));
  });

  it('leaves out messages that a split moved, even if another merge brought them back', async () => {
    const owner = await makeOwner(house);
    const source = await make(owner, { body: 's1' });
    await append(owner, source, 's2');
    const target = await make(owner, { body: 't' });
    await merge(owner, source, target);
    const { messages } = await ticketOf(owner, target.id);
    const s1 = messages.find(({ body }: any) => body === 's1');
    const split = (await owner.call('POST', `/tickets/${target.id}/split`, { messageIds: [s1.id] })).body.ticket;
    await merge(owner, split, target);
    await unmerge(owner, source);
    expect([await bodiesOf(owner, source), await bodiesOf(owner, target)]).toEqual([['s2'], ['s1', 't']]);
    await unmerge(owner, split);
    expect([await bodiesOf(owner, split), await bodiesOf(owner, target)]).toEqual([['s1'], ['t']]);
  });

  it('may leave a ticket without messages, whose last activity is then its creation', async () => {
    const owner = await makeOwner(house);
    const [source, target] = [await make(owner), await make(owner)];
    await merge(owner, source, target);
    const { messages } = await ticketOf(owner, target.id);
    const own = messages.find(({ createdAt }: any) => createdAt === target.createdAt);
    await owner.call('POST', `/tickets/${target.id}/split`, { messageIds: [own.id] });
    expect((await unmerge(owner, source)).body.target).toMatchObject({
      messageCount: 0,
      lastMessageAt: target.createdAt,
    });
    expect((await append(owner, target, 'again')).status).toBe(201);
  });

  it('resumes a snooze, and wakes a ticket whose time came while it was merged', async () => {
    const owner = await makeOwner(house);
    const [asleep, late, target] = [await make(owner), await make(owner), await make(owner)];
    const snooze = (ticket: Ref, minutes: number) =>
      owner.call('PATCH', `/tickets/${ticket.id}`, {
        snoozedUntil: new Date(house.clock.now().getTime() + minutes * minuteMs).toISOString(),
      });
    await snooze(asleep, 45);
    await snooze(late, 10);
    for (const ticket of [asleep, late]) {
      await owner.call('POST', `/tickets/${ticket.id}/status`, { toStatus: 'pending' });
      await merge(owner, ticket, target);
    }
    await pass(20);
    expect(await ticketOf(owner, late.id)).toMatchObject({ status: 'closed' });
    for (const ticket of [asleep, late]) await unmerge(owner, ticket);
    await house.drain();
    expect(await ticketOf(owner, late.id)).toMatchObject({ status: 'open', snoozedUntil: null });
    expect(await ticketOf(owner, asleep.id)).toMatchObject({ status: 'pending', snoozedUntil: expect.any(String) });
    await pass(30);
    expect(await ticketOf(owner, asleep.id)).toMatchObject({ status: 'open', snoozedUntil: null });
  });

  it('separates tickets that an import joined', async () => {
    const owner = await makeOwner(house);
    const at = (day: number) => `Mon, ${day} Mar 2026 10:00:00 +0000`;
    await ingest(
      house,
      owner,
      [
        mailOf({ headers: { 'Message-ID': '<a@x.org>', Date: at(9), From: 'bea@example.org' }, body: 'younger' }),
        mailOf({ headers: { 'Message-ID': '<b@x.org>', Date: at(2) }, body: 'older' }),
        mailOf({ headers: { References: '<b@x.org> <a@x.org>', Date: at(16) }, body: 'both' }),
      ],
      'import',
    );
    const tickets = await ticketsOf(owner);
    const merged = tickets.find(({ mergedIntoId }) => mergedIntoId !== null);
    const survivor = tickets.find(({ mergedIntoId }) => mergedIntoId === null);
    const { status } = await unmerge(owner, merged);
    expect(status).toBe(200);
    expect(await ticketOf(owner, merged.id)).toMatchObject({
      status: 'open',
      messageCount: 1,
      lastMessageAt: '2026-03-09T10:00:00.000Z',
    });
    expect([await bodiesOf(owner, merged), await bodiesOf(owner, survivor)]).toEqual([['younger'], ['older', 'both']]);
    await ingest(house, owner, [mailOf({ headers: { References: '<b@x.org> <a@x.org>' } })], 'import');
    expect(await ticketOf(owner, merged.id)).toMatchObject({ mergedIntoId: null });
  });

  it('is refused for a ticket that is not merged, is missing, or has another version', async () => {
    const owner = await makeOwner(house);
    const stranger = await makeOwner(house);
    const [source, target] = [await make(owner), await make(owner)];
    expect(await unmerge(owner, source)).toMatchObject({ status: 409, body: { key: 'ticket.not_merged' } });
    await merge(owner, source, target);
    expect(await unmerge(owner, source, { 'if-match': '"1"' })).toMatchObject({
      status: 412,
      body: { key: 'ticket.version_mismatch', params: { currentVersion: 2 } },
    });
    expect(await unmerge(stranger, source)).toMatchObject({ status: 404, body: { key: 'ticket.not_found' } });
    expect(await unmerge(owner, { id: newId() })).toMatchObject({ status: 404 });
    expect((await unmerge(owner, source, { 'if-match': '"2"' })).status).toBe(200);
    expect((await unmerge(owner, source)).status).toBe(409);
  });

  it('with an empty JSON body, sent twice with one key, happens once', async () => {
    const owner = await makeOwner(house);
    const [source, target] = [await make(owner), await make(owner)];
    await merge(owner, source, target);
    const headers = { 'idempotency-key': 'once', 'content-type': 'application/json' };
    const [first, again] = [await unmerge(owner, source, headers), await unmerge(owner, source, headers)];
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
  });
});
