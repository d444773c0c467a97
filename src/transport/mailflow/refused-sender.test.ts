import { expect, test } from 'vitest';
import { ticketsOf } from '../../../test/worlds/mails.ts';
import { mailOf, useImapMail } from '../../../test/worlds/use-imap-mail.ts';
import { getMailbox } from '../../mail/mailboxes/queries.ts';

const { house, server, openDesk } = await useImapMail();

type Desk = Awaited<ReturnType<typeof openDesk>>;

/** A mailbox whose server lets its account send from another address only, after the first answer. */
async function openRefused() {
  const desk = await openDesk();
  server.deliver(desk.address, { raw: mailOf('Question') });
  await desk.read();
  desk.account.address = 'somebody-else@office.example';
  const [{ id }] = await ticketsOf(desk.owner);
  const answer = { body: 'It is on its way.', sendEmail: true };
  const { body } = await desk.owner.call('POST', `/tickets/${id}/messages`, answer);
  await house.drain();
  const allow = () => {
    desk.account.address = desk.address;
  };
  return { ...desk, messagePath: `/tickets/${id}/messages/${body.id}`, allow };
}

const statusOf = ({ mailbox }: Desk) => getMailbox(house.app.db, mailbox);

test('a sender whom the server refuses shows as the send status at once, and admins are told', async () => {
  const desk = await openRefused();
  expect(await statusOf(desk)).toMatchObject({
    status: 'active',
    sendStatus: 'error',
    sendStatusReason: expect.stringMatching(/does not let this account send from the mailbox's address.*553/),
  });
  const { body } = await desk.owner.call('GET', '/notifications');
  expect(JSON.stringify(body)).toContain('cannot send');
  const checked = await desk.owner.call('POST', `/mailboxes/${desk.id}/check`);
  expect(checked.body.steps.find(({ name }: { name: string }) => name === 'send')).toMatchObject({ ok: false });
  expect(await statusOf(desk)).toMatchObject({ sendStatus: 'error' });
});

test('an answer that leaves makes it active again', async () => {
  const desk = await openRefused();
  desk.allow();
  const sent = server.submissions.length;
  const retried = await desk.owner.call('POST', `${desk.messagePath}/retry`);
  expect(retried.status).toBe(200);
  await house.drain();
  expect(server.submissions).toHaveLength(sent + 1);
  expect(await statusOf(desk)).toMatchObject({ sendStatus: 'active', sendStatusReason: null });
});

test.each(['check', 'test'])('a good %s makes it active again, and sends nothing', async (verb) => {
  const desk = await openRefused();
  desk.allow();
  const sent = server.submissions.length;
  expect((await desk.owner.call('POST', `/mailboxes/${desk.id}/${verb}`)).status).toBe(200);
  expect(await statusOf(desk)).toMatchObject({ sendStatus: 'active', sendStatusReason: null });
  expect(server.submissions).toHaveLength(sent);
});
