import { beforeEach, describe, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { placesOf } from '../../../test/harness/places-of.ts';
import { upload } from '../../../test/harness/uploads.ts';
import { makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, ticketsOf } from '../../../test/worlds/mails.ts';
import { tables } from '../../ground/catalog/tables/tables.ts';
import { newId } from '../../ground/lib/ids.ts';
import { enqueue } from '../../ground/queue/enqueue.ts';

const house = useHouse();
const dayMs = 86_400_000;
let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
});

let secret: string;
let count = 0;
/** Tables alone: the bytes of files follow. */
const tablesWith = async (word: string) => (await placesOf(house, word)).filter((place) => !place.includes('/'));

/** A ticket by mail whose text, HTML and file have the secret, with the ids of both. */
async function receive(): Promise<{ ticket: any; message: any; mail: Buffer }> {
  secret = `411111111111${1_000 + ++count}`;
  const mail = Buffer.from(
    [
      'From: Zoe <zoe@example.org>',
      'To: support@example.com',
      'Subject: Payment',
      `Message-ID: <card${count}@example.org>`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '',
      `<p>My card is <b>${secret}</b></p>`,
      '--b',
      'Content-Type: text/plain',
      `Content-Disposition: attachment; filename="card-${secret}.txt"`,
      '',
      `Number ${secret}`,
      '--b--',
      '',
    ].join('\r\n'),
  );
  await ingest(house, owner, [mail]);
  const [{ id }] = await ticketsOf(owner);
  const ticket = (await owner.call('GET', `/tickets/${id}`)).body;
  return { ticket, message: ticket.messages[0], mail };
}
const redact = (ticketId: string, messageId: string, person = owner, body: object = {}) =>
  person.call('POST', `/tickets/${ticketId}/messages/${messageId}/redact`, body);
const subjectsFound = async (search: string): Promise<string[]> =>
  (await owner.call('GET', `/tickets?search=${search}`)).body.map(({ subject }: any) => subject);

describe('a redacted message', () => {
  test('leaves a stub: text, HTML, files, original and search words are gone', async () => {
    const { ticket, message, mail } = await receive();
    expect(await subjectsFound(secret)).toEqual(['Payment']);
    expect(await tablesWith(secret)).not.toEqual([]);
    const answer = await redact(ticket.id, message.id, owner, { reason: 'a card number' });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        id: message.id,
        body: '',
        bodyHtml: null,
        replyText: null,
        attachments: [],
        author: { email: 'zoe@example.org' },
        createdAt: message.createdAt,
        redacted: { at: expect.any(String), by: owner.userId },
      },
    });
    expect(await tablesWith(secret)).toEqual([]);
    expect(await subjectsFound(secret)).toEqual([]);
    expect((await owner.call('GET', `/tickets/${ticket.id}`)).body).toMatchObject({
      subject: 'Payment',
      attachmentCount: 0,
      lastMessage: { snippet: '' },
      version: ticket.version + 1,
    });
    expect((await owner.call('GET', `/tickets/${ticket.id}/messages/${message.id}/raw`)).status).toBe(404);
    const events = (await owner.call('GET', `/tickets/${ticket.id}/events`)).body.items;
    expect(events.at(-1)).toMatchObject({ type: 'message.redacted', data: { messageId: message.id } });
    const [entry] = (await owner.call('GET', '/audit?type=ticket.message_redacted')).body.items;
    expect(entry).toMatchObject({ subject: { id: ticket.id }, data: { files: 1, reason: 'a card number' } });

    // The same mail, which a mailbox may list again, adds nothing.
    await ingest(house, owner, [mail]);
    expect(await tablesWith(secret)).toEqual([]);
    expect((await owner.call('GET', `/tickets/${ticket.id}`)).body.messages).toHaveLength(1);

    house.clock.advance(3 * dayMs);
    await house.app.db.tx((tx) => enqueue(tx, 'house.sweep', {}));
    await house.drain();
    expect(await placesOf(house, secret)).toEqual([]);
  });

  test('keeps only the texts that its stub names, whichever texts a message has', async () => {
    const { ticket, message } = await receive();
    const { pool } = house.app.db;
    const { rows } = await pool.query<{ name: string }>(`
      select attname as name from pg_attribute
      where attrelid = 'messages'::regclass and attnum > 0 and not attisdropped and atttypid = 'text'::regtype`);
    const written = rows.filter(({ name }) => ['text', 'html'].includes(tables.messages.columns[name]?.personal ?? ''));
    const filled = written.map(({ name }) => `${name} = 'It is ${secret}.'`).join(', ');
    await pool.query(`update messages set ${filled} where id = $1`, [message.id]);
    expect((await redact(ticket.id, message.id)).status).toBe(200);
    const { rows: after } = await pool.query('select * from messages where id = $1', [message.id]);
    const kept = Object.entries(after[0]).flatMap(([name, value]) =>
      JSON.stringify(value)?.includes(secret) ? [name] : [],
    );
    expect(kept.sort()).toEqual(['author_name', 'delivery_error', 'envelope_from']);
  });

  test('is redacted once, and only on its ticket', async () => {
    const { ticket, message } = await receive();
    expect((await redact(newId(), message.id)).body.key).toBe('ticket.not_found');
    expect((await redact(ticket.id, newId())).body.key).toBe('message.not_found');
    const first = await redact(ticket.id, message.id);
    const again = await redact(ticket.id, message.id);
    expect(again.body.redacted).toEqual(first.body.redacted);
    const { body } = await owner.call('GET', `/tickets/${ticket.id}/events`);
    expect(body.items.filter(({ type }: any) => type === 'message.redacted')).toHaveLength(1);
  });

  test('a file of a note goes, files of other messages stay', async () => {
    const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'Files', body: 'first' });
    const add = async (name: string) => {
      const file = (await upload(house, owner, ticket.id, { name, content: `content of ${name}` })).body;
      const input = { body: `with ${name}`, isInternal: true, attachmentIds: [file.id] };
      return (await owner.call('POST', `/tickets/${ticket.id}/messages`, input)).body;
    };
    const [gone, kept] = [await add('gone.txt'), await add('kept.txt')];
    expect((await redact(ticket.id, gone.id)).status).toBe(200);
    const { messages, attachmentCount } = (await owner.call('GET', `/tickets/${ticket.id}`)).body;
    expect(messages.map(({ body }: any) => body)).toEqual(['first', '', 'with kept.txt']);
    expect(attachmentCount).toBe(1);
    expect((await owner.call('GET', `/attachments/${kept.attachments[0].id}`)).status).not.toBe(404);
  });

  test('owners and admins may, others and API keys may not', async () => {
    const { ticket, message } = await receive();
    for (const role of ['agent', 'viewer'] as const)
      expect((await redact(ticket.id, message.id, await makeMember(house, owner.workspaceId, role))).status).toBe(403);
    const admin = await makeMember(house, owner.workspaceId, 'admin');
    expect((await redact(ticket.id, message.id, admin)).status).toBe(200);
  });
});

test('an answer on its way is refused, and a redacted one is not sent again', async () => {
  const { ticket } = await receive();
  const answer = await owner.call('POST', `/tickets/${ticket.id}/messages`, {
    body: 'An answer',
    sendEmail: true,
    sendAfterSeconds: 60,
  });
  const { id } = answer.body;
  expect(await redact(ticket.id, id)).toMatchObject({ status: 409, body: { key: 'message.not_sent_yet' } });
  expect((await owner.call('POST', `/tickets/${ticket.id}/messages/${id}/cancel`)).status).toBe(200);
  expect((await redact(ticket.id, id)).status).toBe(200);
  const retry = await owner.call('POST', `/tickets/${ticket.id}/messages/${id}/retry`);
  expect(retry).toMatchObject({ status: 409, body: { key: 'message.redacted' } });
});

test('a repeat of the request that sent a redacted answer sends nothing again', async () => {
  const { ticket } = await receive();
  const send = (body: string) =>
    owner.call('POST', `/tickets/${ticket.id}/messages`, { body, sendEmail: true }, { 'idempotency-key': body });
  const ids = [(await send('One')).body.id, (await send('Two')).body.id];
  await house.drain();
  expect((await redact(ticket.id, ids[0])).status).toBe(200);
  for (const body of ['One', 'Two']) {
    const again = await send(body);
    expect(again).toMatchObject({ status: 409, body: { key: 'idempotency.answer_deleted' } });
  }
  await house.drain();
  expect((await owner.call('GET', `/tickets/${ticket.id}`)).body.messages).toHaveLength(3);
  expect(await house.outbox()).toHaveLength(2);
});
