import { describe, expect, it } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { newId } from '../../ground/lib/ids.ts';

const house = useHouse();

type Ref = { id: string };
const make = async (person: Person, fields: object = {}) =>
  (await person.call('POST', '/tickets', { subject: 'Printer', body: 'first', ...fields })).body;
const from = (name: string) => ({ requester: { email: `${name}@example.org`, name } });
const append = async (person: Person, { id }: Ref, body: string, fields = {}) =>
  (await person.call('POST', `/tickets/${id}/messages`, { body, ...fields })).body;
const split = (person: Person, { id }: Ref, messageIds: string[], fields = {}, headers = {}) =>
  person.call('POST', `/tickets/${id}/split`, { messageIds, ...fields }, headers);
const bodiesOf = async (person: Person, { id }: Ref) =>
  (await ticketOf(person, id)).messages.map(({ body }: any) => body.trim());
const foundBy = async (person: Person, search: string) =>
  (await person.call('GET', `/tickets?search=${search}`)).body.map(({ id }: any) => id).sort();
const eventsOf = async (person: Person, { id }: Ref) =>
  (await person.call('GET', `/tickets/${id}/events`)).body.items.map(({ type, data }: any) => ({ type, data }));

describe('a split', () => {
  it('moves the named messages to a new open ticket like the original, without an assignee', async () => {
    const owner = await makeOwner(house);
    const original = await make(owner, {
      ...from('ann'),
      tags: ['VIP', 'new'],
      priority: 'urgent',
      assigneeId: owner.userId,
    });
    const second = await append(owner, original, 'second');
    const third = await append(owner, original, 'third', { isInternal: true });
    await owner.call('POST', `/tickets/${original.id}/status`, { toStatus: 'closed' });
    await owner.call('POST', `/tickets/${original.id}/archive`);
    const { status, body, headers } = await split(owner, original, [third.id, second.id, third.id.toUpperCase()]);
    expect(status).toBe(201);
    expect(body.movedMessages).toBe(2);
    const made = await ticketOf(owner, body.ticket.id);
    expect(made).toMatchObject(body.ticket);
    expect(made).toMatchObject({
      ticketNumber: 2,
      subject: 'Printer',
      status: 'open',
      archivedAt: null,
      priority: 'urgent',
      tags: ['VIP', 'new'],
      assigneeId: null,
      requester: { email: 'ann@example.org' },
      channel: 'api',
      messageCount: 2,
      lastMessageAt: third.createdAt,
      version: 1,
    });
    expect(made.messages).toEqual([
      { ...second, ticketId: made.id },
      { ...third, ticketId: made.id },
    ]);
    const left = await ticketOf(owner, original.id);
    expect(left).toMatchObject({
      messageCount: 1,
      lastMessageAt: original.createdAt,
      status: 'closed',
      assigneeId: owner.userId,
      version: 6,
    });
    expect(headers.get('etag')).toBe('"6"');
  });

  it('is recorded on both tickets, which name each other', async () => {
    const owner = await makeOwner(house);
    const original = await make(owner);
    const message = await append(owner, original, 'second');
    const made = (await split(owner, original, [message.id], { newSubject: '  Another matter ' })).body.ticket;
    expect(made.subject).toBe('Another matter');
    expect((await eventsOf(owner, original)).at(-1)).toEqual({
      type: 'ticket.split',
      data: { intoTicketId: made.id, movedMessages: 1 },
    });
    expect(await eventsOf(owner, made)).toEqual([
      { type: 'ticket.created', data: { channel: 'api' } },
      { type: 'ticket.split_from', data: { fromTicketId: original.id, movedMessages: 1 } },
    ]);
    expect((await split(owner, original, [message.id])).status).toBe(404);
  });

  it('takes the requester from the earliest moved customer message, and the people of moved messages', async () => {
    const owner = await makeOwner(house);
    const mail = (name: string, day: number, headers = {}) =>
      mailOf({
        headers: {
          From: `${name} <${name}@example.org>`,
          'Message-ID': `<${name}@x.org>`,
          Date: `Mon, ${day} Mar 2026 10:00:00 +0000`,
          ...headers,
        },
        body: name,
      });
    const to = { 'In-Reply-To': '<ann@x.org>' };
    const mails = [
      mail('ann', 2),
      mail('cem', 16, { ...to, Cc: 'dov@example.org' }),
      mail('bea', 9, { ...to, Cc: 'DOV@example.org' }),
      mail('eve', 23, to),
    ];
    // An import sorts by the Date header.
    await ingest(house, owner, mails, 'import');
    const [original] = await ticketsOf(owner);
    const { messages } = await ticketOf(owner, original.id);
    const idsOf = (...names: string[]) =>
      messages.filter(({ body }: any) => names.includes(body.trim())).map(({ id }: any) => id);
    const made = (await split(owner, original, idsOf('cem', 'bea'))).body.ticket;
    expect(made).toMatchObject({ requester: { email: 'bea@example.org' }, channel: 'email' });
    expect(made.lastMessageAt).toBe('2026-03-16T10:00:00.000Z');
    for (const name of ['bea', 'cem', 'dov']) expect(await foundBy(owner, `${name}@example.org`)).toContain(made.id);
    for (const name of ['ann', 'eve']) expect(await foundBy(owner, `${name}@example.org`)).toEqual([original.id]);

    const reply = (id: string, body: string) => mailOf({ headers: { 'In-Reply-To': `<${id}@x.org>` }, body });
    await ingest(house, owner, [reply('bea', 'to bea'), reply('ann', 'to ann')]);
    expect(await bodiesOf(owner, made)).toContain('to bea');
    expect(await bodiesOf(owner, original)).toContain('to ann');
  });

  it('takes files along, and search finds neither ticket by what it no longer has', async () => {
    const owner = await makeOwner(house);
    const original = await make(owner, from('ann'));
    const body = [
      '--b',
      'Content-Type: application/pdf',
      'Content-Disposition: attachment; filename="blueprint.pdf"',
      '',
      'x',
      '--b--',
    ].join('\r\n');
    await ingest(house, owner, [mailOf({ headers: { 'Content-Type': 'multipart/mixed; boundary=b' }, body })]);
    const mailed = (await ticketsOf(owner)).find(({ id }) => id !== original.id);
    await owner.call('POST', `/tickets/${mailed.id}/merge`, { targetTicketId: original.id });
    const { messages } = await ticketOf(owner, original.id);
    const moved = messages.find(({ attachments }: any) => attachments.length > 0);
    const made = (await split(owner, original, [moved.id])).body.ticket;
    const [attachment] = (await ticketOf(owner, made.id)).messages[0].attachments;
    expect((await owner.call('GET', `/attachments/${attachment.id}`)).body).toBe('x');
    expect(await foundBy(owner, 'blueprint')).toEqual([made.id]);
  });

  it('sends a waiting answer from the new ticket, without any note', async () => {
    const owner = await makeOwner(house);
    const original = await make(owner, from('ann'));
    const note = await append(owner, original, 'SECRET of the house', { isInternal: true });
    const answer = await append(owner, original, 'Solved.', { sendEmail: true });
    const made = (await split(owner, original, [note.id, answer.id], { newSubject: 'Toner' })).body.ticket;
    await house.drain();
    const [mail] = (await house.outbox()).filter((text) => text.includes('Solved.'));
    expect(mail).toContain('Toner');
    expect(mail).not.toContain('SECRET');
    const { messages } = await ticketOf(owner, made.id);
    expect(messages.find(({ id }: any) => id === answer.id).delivery.status).toBe('sent');
  });

  it('is refused if nothing would stay, or if a message is of another ticket', async () => {
    const owner = await makeOwner(house);
    const stranger = await makeOwner(house);
    const original = await make(owner);
    const message = await append(owner, original, 'second');
    const all = (await ticketOf(owner, original.id)).messages.map(({ id }: any) => id);
    const foreign = (await ticketOf(owner, (await make(owner)).id)).messages[0];
    const theirs = (await ticketOf(stranger, (await make(stranger)).id)).messages[0];
    expect(await split(owner, original, all)).toMatchObject({ status: 409, body: { key: 'ticket.split_takes_all' } });
    for (const { id } of [foreign, theirs, { id: newId() }]) {
      expect(await split(owner, original, [message.id, id])).toMatchObject({
        status: 404,
        body: { key: 'message.not_found', params: { messageIds: [id] } },
      });
    }
    for (const messageIds of [[], ['x'], 'x', null, undefined])
      expect(await owner.call('POST', `/tickets/${original.id}/split`, { messageIds })).toMatchObject({ status: 400 });
    expect(await split(owner, original, [message.id], { newSubject: 'x'.repeat(501) })).toMatchObject({ status: 400 });
    expect(await split(stranger, original, [message.id])).toMatchObject({
      status: 404,
      body: { key: 'ticket.not_found' },
    });
    expect(await split(owner, original, [message.id], {}, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
    expect(await ticketOf(owner, original.id)).toMatchObject({ messageCount: 2, version: 2 });
  });

  it('by many at once numbers the tickets without a gap, and moves each message once', async () => {
    const owner = await makeOwner(house);
    const original = await make(owner);
    const messages = [];
    for (let at = 0; at < 6; at++) messages.push(await append(owner, original, `m${at}`));
    const answers = await Promise.all(
      messages.flatMap(({ id }) => [split(owner, original, [id]), split(owner, original, [id])]),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(6).fill(201), ...Array(6).fill(404)]);
    const numbers = (await ticketsOf(owner)).map(({ ticketNumber }) => ticketNumber);
    expect(numbers.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await bodiesOf(owner, original)).toEqual(['first']);
  });

  it('with an empty subject keeps the original’s, and sent twice with one key happens once', async () => {
    const owner = await makeOwner(house);
    const original = await make(owner);
    const message = await append(owner, original, 'second');
    const again = () => split(owner, original, [message.id], { newSubject: ' ' }, { 'idempotency-key': 'k' });
    const [first, second] = [await again(), await again()];
    expect(first.body.ticket.subject).toBe('Printer');
    expect(second.body).toEqual(first.body);
    expect(await ticketsOf(owner)).toHaveLength(2);
  });
});
