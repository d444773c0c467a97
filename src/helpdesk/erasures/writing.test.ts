import { beforeEach, expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { placesOf } from '../../../test/harness/places-of.ts';
import { givePassword, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { ingest, mailOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';
import { claimDelivery } from '../../transport/deliveries/claim-delivery.ts';
import { settleDelivery } from '../../transport/deliveries/settle-delivery.ts';
import { erasePerson } from './erase-person.ts';

const house = useHouse();
const password = 'correct horse battery';
const email = 'zora@z.example';
let owner: Person;

beforeEach(async () => {
  owner = await makeOwner(house);
  await givePassword(house, owner, password);
  await owner.call('POST', '/tickets', { subject: 'Of Zora', body: 'b', requester: { email } });
});

const ask = async () => {
  const found = (await owner.call('GET', `/contacts?search=${encodeURIComponent(email)}`)).body;
  const { status, body } = await owner.call('POST', `/contacts/${found[0].id}/erasure`, { email, password });
  expect(status).toBe(202);
  return body.id as string;
};
const ticketOfBob = async (): Promise<string> =>
  (await owner.call('POST', '/tickets', { subject: 'Of Bob', body: 'b', requester: { email: 'bob@b.example' } })).body
    .id;

test('an editor that was open during an erasure cannot save the erased words again', async () => {
  const path = `/tickets/${await ticketOfBob()}/drafts/answer`;
  const text = { body: `Write to ${email}`, cc: [email] };
  const { version } = (await owner.call('PUT', path, { ...text, version: 0 })).body;
  await ask();
  await house.drain();
  const saved = await owner.call('PUT', path, { ...text, body: `${text.body} today`, version });
  expect(saved).toMatchObject({ status: 409, body: { key: 'draft.newer' } });
  expect((await placesOf(house, email)).filter((place) => !place.includes('/'))).toEqual([]);
});

test('an answer that waits does not go to an erased person, and still goes to the others', async () => {
  const path = `/tickets/${await ticketOfBob()}/messages`;
  const both = (
    await owner.call('POST', path, { body: 'To both', sendEmail: true, toAddresses: ['bob@b.example', email] })
  ).body;
  const alone = (await owner.call('POST', path, { body: 'To Zora', sendEmail: true, toAddresses: [email] })).body;
  await ask();
  // Runs the waiting deliveries before the work of the erasure.
  await house.drain();
  const mails = await house.outbox();
  expect(mails.filter((raw) => raw.includes('To Zora') || raw.includes(email))).toEqual([]);
  expect(mails.filter((raw) => raw.includes('To both'))).toHaveLength(1);
  const statuses = await house.app.db.rows(sql`
    select id, delivery_status as status, delivery_error as error from messages
    where workspace_id = ${owner.workspaceId} and id in (${both.id}, ${alone.id}) order by id`);
  expect(statuses).toEqual([
    { id: both.id, status: 'sent', error: null },
    { id: alone.id, status: 'failed', error: expect.stringContaining('a mail needs a recipient') },
  ]);
});

test('the refusal of a mail that was on its way during an erasure does not name the person again', async () => {
  const { workspaceId } = owner;
  const toAddresses = ['bob@b.example', email];
  const path = `/tickets/${await ticketOfBob()}/messages`;
  const { id: messageId } = (await owner.call('POST', path, { body: 'To both', sendEmail: true, toAddresses })).body;
  const { db, config } = house.app;
  await db.tx((tx) => claimDelivery(tx, { workspaceId, messageId, rfcMessageId: 'both@kontor.example' }));
  await erasePerson({ db, authSecret: config.authSecret }, { workspaceId, id: await ask() });
  const error = `550 no such user <${email.toUpperCase()}>; bob@b.example: mailbox full.`;
  await db.tx((tx) => settleDelivery(tx, { workspaceId, messageId }, 'fail', { error }));
  const { body: ticket } = await owner.call('GET', path.replace('/messages', ''));
  const { delivery } = ticket.messages.at(-1);
  expect(delivery.error).toBe('550 no such user <(erased)>; bob@b.example: mailbox full.');
  expect((await placesOf(house, email)).filter((place) => !place.includes('/'))).toEqual([]);
});

test('nobody writes to an erased person, names them or blocks their stub', async () => {
  const headers = { From: `Zora <${email}>`, Cc: 'olaf@o.example', Subject: 'Shared' };
  await ingest(house, owner, [mailOf({ headers })]);
  await ask();
  await house.drain();
  const [ticket] = (await owner.call('GET', '/tickets?archived=any')).body;
  expect(ticket.requester.email).toContain('erased');
  const { replyDefaults } = (await owner.call('GET', `/tickets/${ticket.id}`)).body;
  expect(replyDefaults).toMatchObject({ to: [], cc: [] });
  const path = `/tickets/${ticket.id}/messages`;
  const to = { toAddresses: [ticket.requester.email] };
  for (const body of [{ sendEmail: true }, { sendEmail: true, ...to }])
    expect(await owner.call('POST', path, { body: 'Are you there?', ...body })).toMatchObject({
      status: 400,
      body: { params: { issues: [{ path: 'body.toAddresses', key: 'no_recipient' }] } },
    });
  const reply = await owner.call('POST', '/saved-replies', { name: 'Hello', body: 'Dear {{ contact.email }}' });
  const rendered = await owner.call('POST', `/saved-replies/${reply.body.id}/render`, { ticketId: ticket.id });
  expect(rendered.body.missing).toEqual([{ variable: 'contact.email', reason: 'no_contact' }]);
  expect(await owner.call('POST', `/tickets/${ticket.id}/spam`, { blockSender: 'domain' })).toMatchObject({
    status: 409,
    body: { key: 'blocked_sender.unknown' },
  });
  expect((await house.outbox()).filter((raw) => raw.includes('erased.invalid'))).toEqual([]);
});
