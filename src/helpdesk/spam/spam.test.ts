import { beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { newId, type TicketId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';

const house = useHouse();
const dayMs = 86_400_000;
let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
});

const make = async (input: object = {}): Promise<TicketId> =>
  (await owner.call('POST', '/tickets', { subject: 'Printer', body: 'It does not print.', ...input })).body.id;
const mark = (id: string, headers = {}) => owner.call('POST', `/tickets/${id}/spam`, undefined, headers);
const unmark = (id: string) => owner.call('POST', `/tickets/${id}/not-spam`);
const read = async (id: string) => (await owner.call('GET', `/tickets/${id}`)).body;
const idsIn = async (list: string): Promise<string[]> =>
  (await owner.call('GET', `/tickets${list}`)).body.map(({ id }: { id: string }) => id);
const typesOf = async (id: string): Promise<string[]> =>
  (await owner.call('GET', `/tickets/${id}/events`)).body.items.map(({ type }: { type: string }) => type);
const reply = (id: string, to = 'first@example.org', from = 'Ann Example <ann@example.org>') =>
  mailOf({ headers: { From: from, Subject: 'Re: Printer', 'In-Reply-To': `<${to}>`, 'Message-ID': `<${id}>` } });
async function makeFromMail(): Promise<TicketId> {
  await ingest(house, owner, [mailOf({ headers: { 'Message-ID': '<first@example.org>' } })]);
  return (await ticketsOf(owner))[0].id;
}
/** Access tokens expire within the day, so each day needs a new sign-in. */
const passDays = async (days: number) => {
  house.clock.advance(days * dayMs);
  owner = await makeMember(house, owner.workspaceId, 'owner');
  await house.app.db.tx((tx) => enqueue(tx, 'house.sweep', {}));
  await house.drain();
};

describe('spam', () => {
  test('is in no other list, count or search, and changes only back', async () => {
    const id = await make({ subject: 'Zebra', tags: ['striped'], requester: { email: 'zoe@example.org' } });
    const { messages, requester, ticketNumber } = await read(id);
    await owner.call('PUT', `/tickets/${id}/drafts/note`, { body: 'half', version: 0 });
    const answer = await mark(id);
    expect(answer).toMatchObject({ status: 200, body: { id, spamReason: 'marked', version: 2 } });
    expect(answer.body.archivedAt).toBe(answer.body.spamAt);

    const lists = ['', '?archived=any', '?archived=true', '?search=zebra', `?search=%23${ticketNumber}`, '?trash=true'];
    for (const list of [...lists, '?tags=striped', `?contact=${requester.contactId}`, `?ids=${id}`, '?unread=true'])
      expect([list, await idsIn(list)]).toEqual([list, []]);
    expect(await idsIn('?spam=true')).toEqual([id]);
    expect(await idsIn('?spam=true&search=zebra')).toEqual([id]);
    expect(await idsIn('?spam=true&status=closed')).toEqual([]);
    const { counts, tags } = (await owner.call('GET', '/start')).body;
    expect(Object.values(counts.lists ?? counts.standard ?? counts).every((one: any) => !one.count)).toBe(true);
    expect(tags).toEqual([]);
    expect((await owner.call('GET', '/drafts')).body.items).toEqual([]);
    expect((await owner.call('GET', `/contacts/${requester.contactId}`)).body.tickets).toEqual([]);

    const other = await make();
    const refused: [string, string, object?][] = [
      ['PATCH', '', { subject: 'Horse' }],
      ['POST', '/status', { toStatus: 'closed' }],
      ['POST', '/archive'],
      ['POST', '/unarchive'],
      ['POST', '/messages', { body: 'More.' }],
      ['POST', '/split', { messageIds: [messages[0].id] }],
      ['POST', '/merge', { targetTicketId: other }],
      ['POST', '/followers'],
    ];
    for (const [method, path, body] of refused) {
      const { status, body: fault } = await owner.call(method, `/tickets/${id}${path}`, body);
      expect([method, path, status, fault.key]).toEqual([method, path, 409, 'ticket.spam']);
    }
    expect((await owner.call('POST', `/tickets/${other}/merge`, { targetTicketId: id })).body.key).toBe('ticket.spam');
    const { body } = await owner.call('POST', '/tickets/bulk', { ids: [id], status: 'closed' });
    expect(body.results).toMatchObject([{ id, status: 409, error: { key: 'ticket.spam' } }]);
    expect((await owner.call('GET', `/tickets/number/${ticketNumber}`)).body).toMatchObject({ id, messageCount: 1 });
  });

  test('comes back as it was', async () => {
    const [open, archived] = [await make(), await make()];
    const snoozedUntil = new Date(house.clock.now().getTime() + 60_000).toISOString();
    await owner.call('PATCH', `/tickets/${open}`, { snoozedUntil });
    await owner.call('POST', `/tickets/${archived}/archive`);
    house.clock.advance(1_000);
    for (const id of [open, archived]) await mark(id);
    house.clock.advance(120_000);
    await house.drain();
    const again = await unmark(open);
    const before = { spamAt: null, spamReason: null };
    expect(again).toMatchObject({ status: 200, body: { ...before, archivedAt: null, snoozedUntil } });
    expect((await unmark(archived)).body).toMatchObject({ ...before, archivedAt: expect.any(String) });
    expect((await unmark(open)).body.version).toBe(again.body.version);
    const changes = ['ticket.spam_changed', 'ticket.spam_changed'];
    expect(await typesOf(open)).toEqual(['ticket.created', 'ticket.snoozed', ...changes]);
    expect(await typesOf(archived)).toEqual(['ticket.created', 'ticket.archived', ...changes]);
  });

  test('is refused when stale, merged, in the trash, elsewhere or not allowed', async () => {
    const [id, merged, trashed] = [await make(), await make(), await make()];
    await owner.call('POST', `/tickets/${merged}/merge`, { targetTicketId: id });
    await owner.call('DELETE', `/tickets/${trashed}`);
    expect((await mark(id, { 'if-match': '"1"' })).status).toBe(412);
    expect((await mark(merged)).body.key).toBe('ticket.merged');
    for (const missing of [newId(), trashed]) expect((await mark(missing)).body.key).toBe('ticket.not_found');
    const stranger = await makeOwner(house);
    expect((await stranger.call('POST', `/tickets/${id}/spam`)).status).toBe(404);
    const viewer = await makeMember(house, owner.workspaceId, 'viewer');
    for (const change of ['spam', 'not-spam'])
      expect((await viewer.call('POST', `/tickets/${id}/${change}`)).body.key).toBe('auth.role_insufficient');
  });

  test.each(['spam', 'trash'])('hides what was merged into it, too: %s', async (place) => {
    const [id, merged] = [await make(), await make()];
    await owner.call('POST', `/tickets/${merged}/merge`, { targetTicketId: id });
    await (place === 'spam' ? mark(id) : owner.call('DELETE', `/tickets/${id}`));
    for (const list of ['?archived=any', '?status=closed', '?archived=true']) expect(await idsIn(list)).toEqual([]);
    expect((await owner.call('POST', `/tickets/${merged}/unmerge`)).status).toBe(place === 'spam' ? 409 : 404);
    await (place === 'spam' ? unmark(id) : owner.call('POST', `/tickets/${id}/restore`));
    expect(await idsIn('?status=closed')).toEqual([merged]);
    expect((await owner.call('POST', `/tickets/${merged}/unmerge`)).body.ticket).toMatchObject({ archivedAt: null });
  });

  test('passes through the trash and stays spam', async () => {
    const id = await make();
    await mark(id);
    house.clock.advance(1_000);
    await owner.call('DELETE', `/tickets/${id}`);
    expect([await idsIn('?spam=true'), await idsIn('?trash=true')]).toEqual([[], [id]]);
    expect((await unmark(id)).status).toBe(404);
    await owner.call('POST', `/tickets/${id}/restore`);
    expect(await idsIn('?spam=true')).toEqual([id]);
    expect((await unmark(id)).body).toMatchObject({ archivedAt: null, spamAt: null });
  });

  test('marked and deleted in one change, it comes out of the trash as spam', async () => {
    const [id, merged] = [await make(), await make()];
    await owner.call('POST', `/tickets/${merged}/merge`, { targetTicketId: id });
    await owner.call('POST', '/tickets/bulk', { ids: [id], spam: true, trash: true });
    await owner.call('POST', `/tickets/${id}/restore`);
    expect([await idsIn('?archived=any'), await idsIn('?status=closed'), await idsIn('?spam=true')]).toEqual([
      [],
      [],
      [id],
    ]);
    await unmark(id);
    expect([await idsIn(''), await idsIn('?status=closed')]).toEqual([[id], [merged]]);
  });

  test('is one bulk change, and leaves no notification', async () => {
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    const ids = [await make({ assigneeId: agent.userId }), await make({ assigneeId: agent.userId })];
    const { results } = (await owner.call('POST', '/tickets/bulk', { ids, spam: true, status: 'closed' })).body;
    expect(results).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect((await agent.call('GET', '/notifications/unread-count')).body).toEqual({ count: 0 });
    await owner.call('POST', '/tickets/bulk', { ids, spam: false, status: 'open' });
    expect(await idsIn('?status=open')).toHaveLength(2);
    expect((await agent.call('GET', '/notifications/unread-count')).body).toEqual({ count: 0 });
    expect((await owner.call('GET', '/audit?type=ticket.marked_spam')).body.items).toHaveLength(2);
  });
});

describe('mail of a conversation that is spam', () => {
  test('stays spam and tells nobody, until it is no spam', async () => {
    const id = await makeFromMail();
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    await owner.call('PATCH', `/tickets/${id}`, { assigneeId: agent.userId });
    await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'closed' });
    await mark(id);
    await ingest(house, owner, [reply('second@example.org'), reply('third@example.org', 'second@example.org')]);
    expect(await read(id)).toMatchObject({ messageCount: 3, status: 'closed', spamReason: 'marked' });
    expect(await idsIn('?archived=any')).toEqual([]);
    expect((await agent.call('GET', '/notifications/unread-count')).body).toEqual({ count: 0 });

    expect((await unmark(id)).body).toMatchObject({ status: 'open', archivedAt: null });
    expect((await agent.call('GET', '/notifications')).body.items).toMatchObject([
      { type: 'reply', referenceId: id, readAt: null },
      { type: 'assignment' },
    ]);
    const isUnread = async (person: Person) => (await person.call('GET', `/tickets/${id}`)).body.unread;
    expect([await isUnread(agent), await isUnread(owner)]).toEqual([true, false]);
    expect((await typesOf(id)).slice(-2)).toEqual(['ticket.spam_changed', 'ticket.status_changed']);
  });

  test('goes to another ticket that it names, too', async () => {
    const id = await makeFromMail();
    await mark(id);
    const other = mailOf({ headers: { 'Message-ID': '<other@example.org>', Subject: 'Scanner' } });
    await ingest(house, owner, [other]);
    const [scanner] = await ticketsOf(owner);
    const both = { 'In-Reply-To': '<first@example.org>', References: '<other@example.org> <first@example.org>' };
    await ingest(house, owner, [mailOf({ headers: { ...both, Subject: 'Re: both' } })]);
    expect([(await read(id)).messageCount, (await read(scanner.id)).messageCount]).toEqual([1, 2]);
  });

  test('keeps the ticket for 30 more days', async () => {
    const id = await makeFromMail();
    await mark(id);
    await passDays(29);
    await ingest(house, owner, [reply('second@example.org')]);
    await passDays(29);
    expect(await idsIn('?spam=true')).toEqual([id]);
    await passDays(2);
    expect(await idsIn('?spam=true')).toEqual([]);
    expect((await owner.call('GET', `/tickets/${id}`)).status).toBe(404);
  });
});
