import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { findLockWaits } from '../../../test/harness/lock-waits.ts';
import { placesOf } from '../../../test/harness/places-of.ts';
import { givePassword, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';
import { gatherContacts } from '../contacts/gather.ts';
import { insertMessage, plainMessage } from '../messages/insert-message.ts';
import { erasePerson } from './erase-person.ts';

const house = useHouse();
const password = 'correct horse battery';
let owner: Person;
let word: string;
let count = 0;

beforeEach(async () => {
  owner = await makeOwner(house);
  await givePassword(house, owner, password);
  word = `Quellwasser${++count}`;
});

const post = async (path: string, body?: object): Promise<any> => {
  const answer = await owner.call('POST', path, body);
  expect({ path, body: answer.body, isDone: answer.status < 300 }).toMatchObject({ isDone: true });
  return answer.body;
};
const ask = async (email: string) => {
  const found = (await owner.call('GET', `/contacts?search=${encodeURIComponent(email)}`)).body;
  const { id } = found.find(({ emails }: { emails: string[] }) => emails.includes(email));
  return owner.call('POST', `/contacts/${id}/erasure`, { email, password });
};
const erase = async (email: string) => {
  expect((await ask(email)).status).toBe(202);
  await house.drain();
};
const run = (id: string) =>
  erasePerson({ db: house.app.db, authSecret: house.app.config.authSecret }, { workspaceId: owner.workspaceId, id });
const ticketWith = async (search: string) => {
  const [found] = (await owner.call('GET', `/tickets?search=${encodeURIComponent(search)}&archived=any`)).body;
  return (await owner.call('GET', `/tickets/${found.id}`)).body;
};
/** Tables alone: the bytes of files follow later. */
const tablesWith = async (text: string) => (await placesOf(house, text)).filter((place) => !place.includes('/'));

test('keeps the mails of somebody whose address ends with the erased one', async () => {
  await ingest(house, owner, [
    mailOf({ headers: { From: 'Joann <joann@x.example>', Subject: 'Of joann' }, body: 'Write to jo.ann@x.example.' }),
    mailOf({ headers: { From: 'Ann <ann@x.example>', Subject: 'Of ann' } }),
  ]);
  const { db } = house.app;
  // A mail of hers in quarantine.
  await db.tx((tx) =>
    tx.run(sql`
      insert into raw_mails (workspace_id, id, sha256, size_bytes, source, state, received_at, envelope_from)
      values (${owner.workspaceId}, ${newId()}, 'f00', 3, 'smtp', 'quarantined', ${tx.now}, 'joann@x.example')`),
  );
  await erase('ann@x.example');
  const raws = await db.rows(sql`
    select erased_at is not null or discarded_at is not null as "isGone" from raw_mails
    where workspace_id = ${owner.workspaceId} order by id`);
  expect(raws).toEqual([{ isGone: false }, { isGone: true }, { isGone: false }]);
  expect((await ticketWith('joann')).messages[0].body).toContain('jo.ann@x.example');
});

test('takes the name from all that belongs to a shared ticket', async () => {
  const name = `Zora ${word}`;
  await ingest(house, owner, [
    mailOf({
      headers: {
        From: 'Carl <carl@c.example>',
        Cc: `${name} <zora@z.example>`,
        Subject: `About ${name}`,
        'Message-ID': `<${word}@c.example>`,
      },
    }),
  ]);
  const { id } = await ticketWith(word);
  await owner.call('PATCH', `/tickets/${id}`, {
    subject: `Still about ${name}`,
    tags: [name],
    assigneeId: owner.userId,
  });
  const answer = { Subject: `Re: About ${name}`, 'In-Reply-To': `<${word}@c.example>` };
  const file = `attachment; filename="${name}.txt"`;
  await ingest(house, owner, [
    mailOf({ headers: { From: 'Carl <carl@c.example>', ...answer, 'Content-Disposition': file } }),
  ]);
  await house.drain();
  const planted = ['activity', 'attachments', 'notifications', 'tickets'].map((table) => `public.${table}`);
  expect(await tablesWith(word)).toEqual(expect.arrayContaining(planted));
  await erase('zora@z.example');
  expect(await tablesWith(word)).toEqual(['public.mail_ids', 'public.messages']);
  expect(await tablesWith(name)).toEqual([]);
  expect(await ticketWith('still')).toMatchObject({ subject: 'Still about (erased)', tags: [], messageCount: 2 });
});

test('goes through a message whose quoted range cuts a letter in half, as an import may name it', async () => {
  const headers = { From: 'Carl <carl@c.example>', Cc: 'Zora <zora@z.example>', Subject: word };
  await ingest(house, owner, [mailOf({ headers })]);
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update messages set body_html = '<p>a😀b zora@z.example</p>', quoted_html_ranges = '{5,6}'
      where workspace_id = ${owner.workspaceId}`),
  );
  await erase('zora@z.example');
  expect(await tablesWith('zora@z.example')).toEqual([]);
});

test('counts a ticket and its messages once, however many were merged into it', async () => {
  const mail = (n: number) =>
    mailOf({ headers: { From: 'Zora <zora@z.example>', Cc: 'Carl <carl@c.example>', Subject: `${word} ${n}` } });
  await ingest(house, owner, [mail(1), mail(2), mail(3)]);
  const [into, ...others] = (await owner.call('GET', `/tickets?search=${word}`)).body;
  for (const { id } of others) await post(`/tickets/${id}/merge`, { targetTicketId: into.id });
  const { contactId } = (await ask('zora@z.example')).body;
  await house.drain();
  const { erasure } = (await owner.call('GET', `/contacts/${contactId}/erasure`)).body;
  expect(erasure).toMatchObject({ ticketsDeleted: 0, ticketsKept: 1, messagesErased: 3 });
});

test('deletes a ticket once everybody who took part is erased', async () => {
  await ingest(house, owner, [
    mailOf({ headers: { From: 'Zora <zora@z.example>', To: 'Carl <carl@c.example>', Subject: word } }),
  ]);
  const { id } = await ticketWith(word);
  await post(`/tickets/${id}/messages`, { body: `A note, ${word}`, isInternal: true });
  await erase('zora@z.example');
  expect((await ticketWith('note')).id).toBe(id);
  await erase('carl@c.example');
  expect(await tablesWith(word)).toEqual([]);
});

test('leaves drafts of others alone that only bear the name', async () => {
  await post('/tickets', { subject: 'Of Zora', body: 'b', requester: { email: 'zora@z.example', name: 'Zora Zett' } });
  const other = await post('/tickets', { subject: 'Other', body: 'b', requester: { email: 'eve@e.example' } });
  const draft = { body: 'Zora Zett at work, and zora@z.example', version: 0 };
  await owner.call('PUT', `/tickets/${other.id}/drafts/answer`, draft);
  await erase('zora@z.example');
  const kept = sql`select body from drafts where workspace_id = ${owner.workspaceId} and ticket_id = ${other.id}`;
  expect(await house.app.db.rows(kept)).toEqual([{ body: 'Zora Zett at work, and (erased)' }]);
});

test('cannot be escaped by a merge into another contact, and nobody names the stub', async () => {
  await post('/tickets', { subject: 'Of Zora', body: word, requester: { email: 'zora@z.example', name: 'Zora' } });
  const bob = await post('/tickets', { subject: 'Of Bob', body: 'b', requester: { email: 'bob@b.example' } });
  const { contactId } = (await ask('zora@z.example')).body;
  const other = bob.requester.contactId;
  for (const [method, path, body] of [
    ['POST', `/contacts/${contactId}/merge`, { targetContactId: other }],
    ['POST', `/contacts/${other}/merge`, { targetContactId: contactId }],
    ['PATCH', `/contacts/${contactId}`, { name: 'Zora' }],
  ] as const)
    expect((await owner.call(method, path, body)).body.key).toBe('contact.erased');
  await house.drain();
  expect(await tablesWith(word)).toEqual([]);
});

test('refuses every address at which the workspace receives', async () => {
  const { localPart } = await house.app.db.one<{ localPart: string }>(sql`
    select local_part as "localPart" from inbound_addresses where workspace_id = ${owner.workspaceId}`);
  const email = `${localPart}+x@${house.app.config.mailFrom.email.replace(/^.*@/, '')}`;
  await post('/tickets', { subject: 'Of us', body: 'b', requester: { email } });
  expect((await ask(email)).body.key).toBe('contact.own_address');
});

test('counts as asked once, whatever password proves a repeat', async () => {
  const { requester } = await post('/tickets', { subject: 's', body: 'b', requester: { email: 'zora@z.example' } });
  const repeat = (own: string) => {
    const body = { email: 'zora@z.example', password: own };
    return owner.call('POST', `/contacts/${requester.contactId}/erasure`, body, { 'idempotency-key': word });
  };
  expect((await repeat(password)).status).toBe(202);
  await givePassword(house, owner, 'another battery staple');
  expect((await repeat(password)).status).toBe(401);
  expect((await repeat('another battery staple')).headers.get('idempotent-replayed')).toBe('true');
});

test('of several persons goes on at once', async () => {
  const emails = [1, 2, 3, 4].map((n) => `p${n}@p${count}.example`);
  for (const email of emails) {
    await post('/tickets', { subject: 's', body: 'b', requester: { email } });
    // The audit log names each.
    await post('/blocked-senders', { sender: email });
  }
  const asked = await Promise.all(emails.map(ask));
  await Promise.all(asked.map(({ body: { id } }) => run(id)));
  expect(await tablesWith(`@p${count}.example`)).toEqual([]);
});

test('goes through more messages than one step searches', async () => {
  await post('/tickets', { subject: 's', body: 'b', requester: { email: 'zora@z.example' } });
  const other = await post('/tickets', { subject: 'Other', body: 'b', requester: { email: 'eve@e.example' } });
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into messages (workspace_id, id, ticket_id, direction, author_type, body, created_at, search)
      select ${owner.workspaceId}::uuid, gen_random_uuid(), ${other.id}::uuid, 'internal', 'system',
        case when n % 50 = 0 then 'Ask zora@z.example' else 'x' end, ${tx.now}::timestamptz, ''
      from generate_series(1, 450) n`),
  );
  await erase('zora@z.example');
  expect(await tablesWith('zora@z.example')).toEqual([]);
});

test('spares mail that comes once it was asked for', async () => {
  await post('/tickets', { subject: 'Of Zora', body: 'b', requester: { email: 'zora@z.example', name: 'Zora' } });
  const { id } = (await ask('zora@z.example')).body;
  house.clock.advance(1_000);
  const body = `I am zora@z.example, ${word}.`;
  await ingest(house, owner, [mailOf({ headers: { From: 'Zora <zora@z.example>', Subject: word }, body })]);
  await run(id);
  expect((await ticketWith(word)).messages[0]).toMatchObject({ body: `${body}\n` });
  const raws = sql`select from raw_mails where workspace_id = ${owner.workspaceId} and erased_at is not null`;
  expect(await house.app.db.rows(raws)).toEqual([]);
});

test('takes an address at an internationalised domain off the block list', async () => {
  const email = 'zora@bücher.example';
  await post('/tickets', { subject: 's', body: 'b', requester: { email } });
  await post('/blocked-senders', { sender: email });
  await erase(email);
  expect((await owner.call('GET', '/blocked-senders')).body.items).toEqual([]);
});

test('waits for a mail that is being stored', async () => {
  const { db } = house.app;
  const ticket = await post('/tickets', { subject: 's', body: 'b', requester: { email: 'zora@z.example' } });
  const asked = await db.tx(async (tx) => {
    const { workspaceId } = owner;
    const [contact] = (
      await gatherContacts(tx, workspaceId, [{ email: 'zora@z.example', name: null, claim: null }])
    ).values();
    const asking = ask('zora@z.example');
    while ((await findLockWaits(house.databaseUrl)).length === 0);
    await insertMessage(tx, {
      ...plainMessage,
      id: tx.newId(),
      workspaceId,
      ticketId: ticket.id,
      direction: 'inbound',
      author: { type: 'customer', contactId: contact!.id, name: null, email: 'zora@z.example' },
      body: word,
      createdAt: tx.now,
    });
    return { asking };
  });
  expect((await asked.asking).status).toBe(202);
  await house.drain();
  expect(await tablesWith(word)).toEqual([]);
});
