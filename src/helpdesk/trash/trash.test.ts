import { utimes } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { placesOf } from '../../../test/harness/places-of.ts';
import { keptFiles, upload } from '../../../test/harness/uploads.ts';
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
const trash = (id: string, headers = {}) => owner.call('DELETE', `/tickets/${id}`, undefined, headers);
const restore = (id: string) => owner.call('POST', `/tickets/${id}/restore`);
const idsIn = async (list: string): Promise<string[]> =>
  (await owner.call('GET', `/tickets${list}`)).body.map(({ id }: { id: string }) => id);
const typesOf = async (id: string): Promise<string[]> =>
  (await owner.call('GET', `/tickets/${id}/events?trash=true`)).body.items.map(({ type }: { type: string }) => type);
/** Access tokens expire within the day, so each day needs a new sign-in. */
const passDays = async (days: number) => {
  house.clock.advance(days * dayMs);
  owner = await makeMember(house, owner.workspaceId, 'owner');
  await house.app.db.tx((tx) => enqueue(tx, 'house.sweep', {}));
  await house.drain();
};

describe('a ticket in the trash', () => {
  test('is in no list, count or search, and found by no read or write', async () => {
    const id = await make({ subject: 'Zebra', tags: ['striped'], requester: { email: 'zoe@example.org' } });
    const { messages, requester, ticketNumber } = (await owner.call('GET', `/tickets/${id}`)).body;
    await owner.call('PUT', `/tickets/${id}/drafts/note`, { body: 'half', version: 0 });
    const answer = await trash(id);
    expect(answer).toMatchObject({ status: 200, body: { id, trashedAt: expect.any(String), version: 2 } });

    const lists = ['', '?archived=any', '?archived=true', '?search=zebra', `?search=%23${ticketNumber}`];
    for (const list of [...lists, '?tags=striped', `?contact=${requester.contactId}`, `?ids=${id}`, '?spam=true'])
      expect([list, await idsIn(list)]).toEqual([list, []]);
    expect(await idsIn('?trash=true')).toEqual([id]);
    expect(await idsIn('?trash=true&search=zebra')).toEqual([id]);
    const { counts, tags } = (await owner.call('GET', '/start')).body;
    expect(Object.values(counts.lists ?? counts.standard ?? counts).every((one: any) => !one.count)).toBe(true);
    expect(tags).toEqual([]);
    expect((await owner.call('GET', '/drafts')).body.items).toEqual([]);
    expect((await owner.call('GET', `/contacts/${requester.contactId}`)).body.tickets).toEqual([]);

    const refused: [string, string, object?][] = [
      ['GET', ''],
      ['GET', '/messages'],
      ['GET', '/events'],
      ['PATCH', '', { subject: 'Horse' }],
      ['POST', '/status', { toStatus: 'closed' }],
      ['POST', '/archive'],
      ['POST', '/messages', { body: 'More.' }],
      ['POST', '/split', { messageIds: [messages[0].id] }],
      ['POST', '/merge', { targetTicketId: await make() }],
      ['PUT', '/drafts/note', { body: 'whole', version: 1 }],
      ['POST', '/followers'],
      ['PUT', '/seen', { messageId: messages[0].id }],
    ];
    for (const [method, path, body] of refused) {
      const { status, body: fault } = await owner.call(method, `/tickets/${id}${path}`, body);
      expect([method, path, status, fault.key]).toEqual([method, path, 404, 'ticket.not_found']);
    }
    expect((await owner.call('POST', `/tickets/${await make()}/merge`, { targetTicketId: id })).status).toBe(404);
    const { body } = await owner.call('POST', '/tickets/bulk', { ids: [id], status: 'closed' });
    expect(body.results).toMatchObject([{ id, status: 404 }]);
    expect((await owner.call('GET', `/tickets/${id}?trash=true`)).body).toMatchObject({ id, messageCount: 1 });
    expect((await owner.call('GET', `/tickets/number/${ticketNumber}?trash=true`)).body.id).toBe(id);
    expect((await owner.call('GET', `/tickets/${id}/messages?trash=true`)).body.messages).toHaveLength(1);
  });

  test('comes back as it was', async () => {
    const [open, archived] = [await make(), await make()];
    const snoozedUntil = new Date(house.clock.now().getTime() + 60_000).toISOString();
    await owner.call('PATCH', `/tickets/${open}`, { snoozedUntil });
    await owner.call('POST', `/tickets/${archived}/archive`);
    for (const id of [open, archived]) await trash(id);
    house.clock.advance(120_000);
    await house.drain();
    const again = await restore(open);
    expect(again).toMatchObject({ status: 200, body: { trashedAt: null, archivedAt: null, snoozedUntil } });
    expect((await restore(archived)).body).toMatchObject({ trashedAt: null, archivedAt: expect.any(String) });
    expect((await restore(open)).body.version).toBe(again.body.version);
    expect(await typesOf(open)).toEqual(['ticket.created', 'ticket.snoozed', 'ticket.trashed', 'ticket.restored']);
  });

  test('is refused when stale, merged or not allowed', async () => {
    const [id, merged] = [await make(), await make()];
    await owner.call('POST', `/tickets/${merged}/merge`, { targetTicketId: id });
    expect((await trash(id, { 'if-match': '"1"' })).status).toBe(412);
    expect((await trash(merged)).body.key).toBe('ticket.merged');
    expect((await trash(newId())).status).toBe(404);
    const viewer = await makeMember(house, owner.workspaceId, 'viewer');
    expect((await viewer.call('DELETE', `/tickets/${id}`)).body.key).toBe('auth.role_insufficient');
  });

  test('takes along what was merged into it, in both directions', async () => {
    const [id, merged] = [await make(), await make()];
    await owner.call('POST', `/tickets/${merged}/merge`, { targetTicketId: id });
    await trash(id);
    expect((await owner.call('GET', `/tickets/${merged}`)).status).toBe(404);
    expect((await owner.call('POST', `/tickets/${merged}/unmerge`)).status).toBe(404);
    expect(await idsIn('?trash=true')).toEqual([id]);
    await restore(id);
    expect((await owner.call('POST', `/tickets/${merged}/unmerge`)).status).toBe(200);
  });

  test('leaves no notification, and the trash is one bulk change', async () => {
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    const ids = [await make({ assigneeId: agent.userId }), await make({ assigneeId: agent.userId })];
    expect((await owner.call('POST', '/tickets/bulk', { ids, trash: true })).body.results).toHaveLength(2);
    expect((await agent.call('GET', '/notifications')).body.items).toEqual([]);
    expect((await agent.call('GET', '/notifications/unread-count')).body).toEqual({ count: 0 });
    await owner.call('POST', '/tickets/bulk', { ids, trash: false, status: 'closed' });
    expect(await idsIn('?status=closed')).toHaveLength(2);
    expect((await agent.call('GET', '/notifications')).body.items).toHaveLength(2);
  });

  test('is answered by a new ticket, which takes all that follows', async () => {
    await ingest(house, owner, [mailOf({ headers: { 'Message-ID': '<first@example.org>' } })]);
    const [first] = await ticketsOf(owner);
    await trash(first.id);
    const reply = (id: string) =>
      mailOf({ headers: { Subject: 'Re: Printer', 'In-Reply-To': '<first@example.org>', 'Message-ID': `<${id}>` } });
    await ingest(house, owner, [reply('second@example.org')]);
    await ingest(house, owner, [reply('third@example.org')]);
    const [second, ...others] = await ticketsOf(owner);
    expect(others).toEqual([]);
    expect(second).toMatchObject({ messageCount: 2 });
    expect(await typesOf(second.id)).toContain('ticket.continued_from');
    await passDays(31);
    await ingest(house, owner, [reply('fourth@example.org')]);
    expect(await ticketsOf(owner)).toMatchObject([{ id: second.id, messageCount: 3 }]);
  });
});

describe('for good', () => {
  /** A ticket from a mail, with everything that can hold its words. */
  async function makeRich(): Promise<{ id: TicketId; raw: Buffer }> {
    const raw = mailOf({
      headers: { From: 'Quagga Person <quagga@example.org>', Subject: 'Quagga', 'Message-ID': '<quagga@example.org>' },
      body: 'The quagga is extinct.',
    });
    await ingest(house, owner, [raw]);
    const id = (await ticketsOf(owner)).at(-1).id;
    const agent = await makeMember(house, owner.workspaceId, 'agent');
    const file = (await upload(house, owner, id, { content: 'quagga bytes', name: 'quagga.txt' })).body;
    await owner.call(
      'POST',
      `/tickets/${id}/messages`,
      { body: 'Quagga answer', isInternal: true, attachmentIds: [file.id] },
      { 'idempotency-key': 'quagga-1' },
    );
    await owner.call('PATCH', `/tickets/${id}`, { subject: 'Quagga II', assigneeId: agent.userId, tags: ['quagga'] });
    const loose = (await upload(house, owner, id, { content: 'more quagga bytes' })).body;
    await owner.call('PUT', `/tickets/${id}/drafts/answer`, {
      version: 0,
      body: 'quagga draft',
      attachmentIds: [loose.id],
    });
    return { id, raw };
  }

  /** Bytes that were put within the last hours stay, and the clock of the files is the machine's. */
  async function agePutFiles() {
    for (const path of await keptFiles(house)) await utimes(path, 0, 0);
  }

  test('a ticket goes after 30 days with its rows, files, words and drafts, and its mail stays away', async () => {
    const kept = await make({ subject: 'Okapi' });
    const { id, raw } = await makeRich();
    await trash(id);
    await passDays(29);
    expect(await idsIn('?trash=true')).toEqual([id]);
    await agePutFiles();
    await passDays(2);
    await passDays(2);
    expect(await idsIn('?trash=true')).toEqual([]);
    // Its sender stays a contact, and the log of the workspace keeps the sender's mail out.
    expect(await placesOf(house, 'quagga')).toEqual(['public.contacts']);
    await ingest(house, owner, [raw, Buffer.from(`${raw.toString().trimEnd()}\r\n\r\n`)]);
    expect(await idsIn('?archived=any')).toEqual([kept]);
  });

  test('an owner need not wait, but must take the ticket out of the inbox first', async () => {
    const { id } = await makeRich();
    const purge = (person: Person) => person.call('POST', `/tickets/${id}/purge`);
    expect((await purge(owner)).body.key).toBe('ticket.not_in_trash');
    await trash(id);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    expect((await purge(admin)).body.key).toBe('auth.role_insufficient');
    expect((await purge(owner)).status).toBe(204);
    expect((await purge(owner)).body.key).toBe('ticket.not_found');
    expect((await owner.call('GET', '/audit?type=ticket.purged')).body.items).toMatchObject([
      { subject: { type: 'ticket', id }, data: { ticketNumber: 1, messages: 2 } },
    ]);
    await agePutFiles();
    await passDays(2);
    expect(await placesOf(house, 'quagga')).toEqual(['public.contacts']);
  });

  test('a ticket goes with all that was merged into it', async () => {
    const [id, merged] = [await make(), await make()];
    await owner.call('POST', `/tickets/${merged}/merge`, { targetTicketId: id });
    await trash(id);
    expect((await owner.call('POST', `/tickets/${id}/purge`)).status).toBe(204);
    expect(await placesOf(house, id)).toEqual(['public.audit_log']);
    expect(await placesOf(house, merged)).toEqual([]);
  });
});
