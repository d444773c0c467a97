import { parseMail } from '@kontor/mail/parse.ts';
import { expect, test } from 'vitest';
import { ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { useHostedMail } from '../../../test/worlds/use-hosted-mail.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';

const { gmail, house, openDesk } = await useHostedMail();

const send = { body: 'We will look.', sendEmail: true };

const parsed = (address: string) =>
  Promise.all(
    gmail
      .mails(address)
      .filter(({ labelIds }) => labelIds.includes('SENT'))
      .map(({ raw }) => parseMail(raw)),
  );

const disconnect = (mailboxId: string) =>
  house.app.db.tx((tx) => tx.run(sql`update mailboxes set status = 'disconnected' where id = ${mailboxId}`));

/** A ticket that came to the first of two mailboxes. */
async function openTwo() {
  const desk = await openDesk();
  const [sales, support] = [await desk.connect(), await desk.connect()];
  await gmail.deliver(sales.address, { subject: 'Where is my parcel?' });
  await desk.read(sales);
  const [{ id }] = await ticketsOf(desk.owner);
  const change = (body: object) => desk.owner.call('PATCH', `/tickets/${id}`, body);
  return { ...desk, sales, support, id, change };
}

test('a moved ticket is answered from the other mailbox, and its old thread still joins', async () => {
  const { owner, sales, support, id, read, change } = await openTwo();
  await owner.call('POST', `/tickets/${id}/messages`, send);
  await house.drain();
  expect(await change({ mailboxId: support.id })).toMatchObject({ status: 200, body: { mailboxId: support.id } });
  const { body: events } = await owner.call('GET', `/tickets/${id}/events`);
  expect(events.items.at(-1)).toMatchObject({
    type: 'ticket.mailbox_changed',
    actor: { userId: owner.userId },
    data: { from: sales.id, to: support.id },
  });
  await owner.call('POST', `/tickets/${id}/messages`, send);
  await house.drain();
  expect(await parsed(support.address)).toMatchObject([{ from: { email: support.address } }]);
  const [first] = await parsed(sales.address);
  await gmail.deliver(sales.address, { subject: 'Re: Where is my parcel?', inReplyTo: first?.messageId ?? '' });
  await read(sales);
  expect(await ticketsOf(owner)).toMatchObject([{ id, mailboxId: support.id, messageCount: 4 }]);
});

test('the rule of its mailbox decides before that of the workspace', async () => {
  const { owner, sales, id } = await openTwo();
  const own = { assign: 'always', status: 'closed' };
  const ofMailbox = (whenAnswered: object | null) => owner.call('PATCH', `/mailboxes/${sales.id}`, { whenAnswered });
  await owner.call('PATCH', '', { whenAnswered: { assign: 'never', status: 'pending' } });
  expect(await ofMailbox(own)).toMatchObject({ status: 200, body: { whenAnswered: own } });
  await owner.call('POST', `/tickets/${id}/messages`, send);
  expect(await ticketOf(owner, id)).toMatchObject({ assigneeId: owner.userId, status: 'closed' });
  await owner.call('PATCH', `/tickets/${id}`, { assigneeId: null });
  await owner.call('POST', `/tickets/${id}/status`, { toStatus: 'open' });
  expect(await ofMailbox(null)).toMatchObject({ body: { whenAnswered: null } });
  await owner.call('POST', `/tickets/${id}/messages`, send);
  expect(await ticketOf(owner, id)).toMatchObject({ assigneeId: null, status: 'pending' });
  const { items } = (await owner.call('GET', '/audit')).body;
  expect(items.filter(({ type }: { type: string }) => type === 'mailbox.changed')).toMatchObject([
    { data: { changed: ['whenAnswered'] } },
    { data: { changed: ['whenAnswered'] } },
  ]);
});

test('it moves to no mailbox that is disconnected, unknown or of another workspace', async () => {
  const { owner, id, sales, support, change } = await openTwo();
  const other = await openTwo();
  await disconnect(support.id);
  for (const mailboxId of [support.id, newId(), other.sales.id])
    expect(await change({ mailboxId })).toMatchObject({
      status: 400,
      body: { params: { issues: [{ path: 'body.mailboxId', key: 'not_a_mailbox' }] } },
    });
  const { version } = await ticketOf(owner, id);
  expect(await change({ mailboxId: sales.id })).toMatchObject({ body: { mailboxId: sales.id, version } });
  expect(await change({ mailboxId: null })).toMatchObject({ body: { mailboxId: null, version: version + 1 } });
});

test('many tickets move at once, and their undo leaves what has moved on or lost its mailbox', async () => {
  const { owner, sales, support, read } = await openTwo();
  for (const subject of ['Lamp', 'Bulb']) await gmail.deliver(sales.address, { subject });
  await read(sales);
  const ids = (await ticketsOf(owner)).map(({ id }) => id);
  const query = { mailbox: [sales.id] };
  const bulk = (body: object) => owner.call('POST', '/tickets/bulk', body);
  expect(await bulk({ query, expectedCount: 3, mailboxId: newId() })).toMatchObject({ status: 400 });
  const { body: change } = await bulk({ query, expectedCount: 3, mailboxId: support.id });
  await house.drain();
  const mailboxesNow = async () => Promise.all(ids.map(async (id) => (await ticketOf(owner, id)).mailboxId));
  expect(await mailboxesNow()).toEqual([support.id, support.id, support.id]);
  await owner.call('PATCH', `/tickets/${ids[0]}`, { mailboxId: null });
  await owner.call('POST', `/bulk-changes/${change.id}/undo`);
  await house.drain();
  expect(await mailboxesNow()).toEqual([null, sales.id, sales.id]);
  expect((await owner.call('GET', `/bulk-changes/${change.id}`)).body).toMatchObject({ undone: 2, kept: 1 });
});

test('a saved reply moves the ticket, and says so once its mailbox is gone', async () => {
  const { owner, support, id } = await openTwo();
  const make = (mailboxId: string) =>
    owner.call('POST', '/saved-replies', { name: `To ${mailboxId}`, body: '', actions: { mailboxId } });
  expect(await make(newId())).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: 'body.actions.mailboxId', key: 'not_a_mailbox' }] } },
  });
  const { body: reply } = await make(support.id);
  const apply = () => owner.call('POST', `/tickets/${id}/apply`, { savedReplyId: reply.id });
  expect(await apply()).toMatchObject({ status: 200, body: { mailboxId: support.id } });
  await disconnect(support.id);
  expect(await apply()).toMatchObject({
    status: 409,
    body: { key: 'saved_reply.actions_not_allowed', params: { action: 'mailboxId' } },
  });
});

test('a mailbox that is disconnected before a bulk change reaches its tickets takes none of them', async () => {
  const { owner, sales, support, id } = await openTwo();
  const bulk = { query: { mailbox: [sales.id] }, expectedCount: 1, mailboxId: support.id };
  const { body: change } = await owner.call('POST', '/tickets/bulk', bulk);
  await disconnect(support.id);
  await house.drain();
  expect((await ticketOf(owner, id)).mailboxId).toBe(sales.id);
  expect((await owner.call('GET', `/bulk-changes/${change.id}`)).body).toMatchObject({
    ...{ state: 'done', changed: 0, refused: 1 },
    refusals: [{ ticketId: id, error: { params: { issues: [{ path: 'body.mailboxId', key: 'not_a_mailbox' }] } } }],
  });
});

test('a saved reply names the mailbox that sends its text, also where it moves the ticket', async () => {
  const { owner, sales, support, id } = await openTwo();
  const save = async (name: string, actions: object) =>
    (await owner.call('POST', '/saved-replies', { name, body: 'From {{ mailbox.address }}', actions })).body.id;
  const [plain, moving] = [await save('Plain', {}), await save('Moving', { mailboxId: support.id })];
  const render = (body: object) => owner.call('POST', `/saved-replies/${moving}/render`, body);
  for (const place of [{ ticketId: id }, { mailboxId: sales.id }])
    expect((await render(place)).body.body).toBe(`From ${support.address}`);
  const mail = { sendEmail: true, runActions: true };
  const requester = { email: 'new@example.com' };
  await owner.call('POST', `/tickets/${id}/messages`, { ...mail, savedReplyId: plain });
  await owner.call('POST', '/tickets', { ...mail, savedReplyId: plain, subject: 'Chosen for it', requester });
  await house.drain();
  await owner.call('POST', `/tickets/${id}/messages`, { ...mail, savedReplyId: moving });
  const { body: created } = await owner.call('POST', '/tickets', {
    ...{ ...mail, savedReplyId: moving, subject: 'Moved', requester, mailboxId: sales.id },
  });
  expect(created.mailboxId).toBe(support.id);
  await house.drain();
  for (const { address } of [sales, support])
    expect((await parsed(address)).map(({ text }) => /From \S+/.exec(text ?? '')?.[0])).toEqual([
      `From ${address}`,
      `From ${address}`,
    ]);
});

test('a saved reply that takes the mailbox away makes no file of its mail, where there is no mail server', async () => {
  const { owner, sales, id } = await openTwo();
  const reply = { name: 'None', body: 'Hello', actions: { mailboxId: null } };
  const use = { savedReplyId: (await owner.call('POST', '/saved-replies', reply)).body.id, runActions: true };
  const requester = { email: 'new@example.com' };
  await owner.call('POST', `/tickets/${id}/messages`, { ...use, sendEmail: true });
  await owner.call('POST', '/tickets', { ...use, sendEmail: true, subject: 'New', requester, mailboxId: sales.id });
  await house.drain();
  expect(await parsed(sales.address)).toHaveLength(2);
  expect(await house.outbox()).toEqual([]);
});
