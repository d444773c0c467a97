import { parseMail } from '@kontor/mail/parse.ts';
import { expect, test } from 'vitest';
import { ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { mailOf, useImapMail } from '../../../test/worlds/use-imap-mail.ts';
import { getMailbox } from '../../mail/mailboxes/queries.ts';

const { house, server, openDesk } = await useImapMail();
const [sales, info] = ['sales@office.example', 'info@office.example'];

/** A mailbox that may send from `sales` too, and receives at `info`. */
async function aliasedDesk() {
  const desk = await openDesk();
  desk.account.sendsFrom.add(sales);
  const change = (body: object) => desk.owner.call('PATCH', `/mailboxes/${desk.id}`, body);
  const ticketTo = async (to: string) => {
    server.deliver(desk.address, { raw: mailOf('Printer', [`To: ${to}`]) });
    await desk.read();
    return (await ticketsOf(desk.owner)).at(-1).id;
  };
  const answer = (id: string, body: object = {}) =>
    desk.owner.call('POST', `/tickets/${id}/messages`, { body: 'Sure.', sendEmail: true, ...body });
  /** The sender of the next mail, in the envelope and in From. */
  const sentFrom = async () => {
    const before = server.submissions.length;
    await house.drain();
    const sent = await Promise.all(
      server.submissions.slice(before).map(async ({ from, raw }) => [from, (await parseMail(raw)).from?.email]),
    );
    return sent;
  };
  const messageOf = async (id: string) => (await ticketOf(desk.owner, id)).messages.at(-1);
  return { ...desk, change, ticketTo, answer, sentFrom, messageOf };
}

test('the addresses from which a mailbox sends are tried at its server, and only new ones', async () => {
  const { address, change, owner } = await aliasedDesk();
  const refused = await change({ sendAs: [sales, info] });
  expect(refused.status).toBe(400);
  expect(refused.body.params.issues).toMatchObject([
    { path: `body.sendAs[${info}]`, key: 'from_refused', params: { said: expect.stringContaining('553') } },
  ]);
  const saved = await change({ sendAs: [sales, address, 'Sales@office.example'], aliases: [info] });
  expect(saved.body).toMatchObject({
    ...{ sendAs: ['Sales@office.example'], senders: [address, 'Sales@office.example'], aliases: [info] },
  });
  server.quirks.loginRefusal = 'AUTHENTICATIONFAILED';
  expect((await change({ sendAs: [sales] })).status).toBe(200);
  server.quirks.loginRefusal = null;
  expect((await change({ sendAs: [] })).body.senders).toEqual([address]);
  const { items } = (await owner.call('GET', '/audit?type=mailbox.changed')).body;
  expect(items.map(({ data }: any) => data.changed).sort()).toEqual([['aliases', 'sendAs'], ['sendAs'], ['sendAs']]);
});

test('an answer leaves from the address to which the customer wrote, if the mailbox sends from there', async () => {
  const { address, change, ticketTo, answer, sentFrom } = await aliasedDesk();
  await change({ sendAs: [sales], aliases: [info] });
  for (const [to, from] of [
    [sales, sales],
    ['Sales+x@office.example', sales],
    [info, address],
    [`${sales}, ${address}`, address],
  ] as const) {
    await answer(await ticketTo(to));
    expect(await sentFrom()).toEqual([[from, from]]);
  }
});

test('an answer and a new ticket leave from the chosen address, also when they are sent again', async () => {
  const { id, owner, change, ticketTo, answer, sentFrom, messageOf } = await aliasedDesk();
  await change({ sendAs: [sales] });
  const ticketId = await ticketTo(info);
  const chosen = await answer(ticketId, { fromAddress: 'SALES@office.example' });
  expect([chosen.status, chosen.body.fromAddress]).toEqual([201, sales]);
  expect(await sentFrom()).toEqual([[sales, sales]]);
  const mailed = { subject: 'Ink', body: 'Here.', sendEmail: true, toAddresses: ['c@example.org'], mailboxId: id };
  expect((await owner.call('POST', '/tickets', { ...mailed, fromAddress: sales })).status).toBe(201);
  expect(await sentFrom()).toEqual([[sales, sales]]);
  await change({ sendAs: [] });
  for (const fromAddress of [sales, info]) {
    const refused = await answer(ticketId, { fromAddress });
    expect(refused.body.params.issues).toMatchObject([{ path: 'body.fromAddress', key: 'not_a_from_address' }]);
  }
  await change({ sendAs: [sales] });
  const note = await answer(ticketId, { fromAddress: sales, sendEmail: false, isInternal: true });
  expect(note.body.params.issues).toMatchObject([{ path: 'body.fromAddress', key: 'not_mailed' }]);
  // The mailbox loses the address while the answer waits: nothing leaves from another one.
  await answer(ticketId, { fromAddress: sales });
  await change({ sendAs: [] });
  expect(await sentFrom()).toEqual([]);
  const failed = await messageOf(ticketId);
  expect(failed.delivery).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(`cannot send from ${sales}`),
  });
  await change({ sendAs: [sales] });
  expect((await owner.call('POST', `/tickets/${ticketId}/messages/${failed.id}/retry`)).status).toBe(200);
  expect(await sentFrom()).toEqual([[sales, sales]]);
});

test('a server that refuses the chosen address fails that answer alone', async () => {
  const { account, mailbox, change, ticketTo, answer, sentFrom, messageOf, address } = await aliasedDesk();
  await change({ sendAs: [sales] });
  account.sendsFrom.clear();
  const ticketId = await ticketTo(address);
  await answer(ticketId, { fromAddress: sales });
  expect(await sentFrom()).toEqual([]);
  expect((await messageOf(ticketId)).delivery).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/does not let this account send from sales@office\.example.*553/),
  });
  expect(await getMailbox(house.app.db, mailbox)).toMatchObject({ sendStatus: 'active' });
  await answer(ticketId);
  expect(await sentFrom()).toEqual([[address, address]]);
});

test('a draft keeps the address', async () => {
  const { owner, ticketTo } = await aliasedDesk();
  const ticketId = await ticketTo(info);
  const put = (body: object) => owner.call('PUT', `/tickets/${ticketId}/drafts/answer`, body);
  const { body: draft } = await put({ body: 'Sure.', fromAddress: sales, version: 0 });
  expect(draft.fromAddress).toBe(sales);
  expect((await put({ body: 'Sure.', version: draft.version })).body.fromAddress).toBeNull();
});
