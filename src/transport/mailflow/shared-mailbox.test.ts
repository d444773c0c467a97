import { parseMail } from '@kontor/mail/parse.ts';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openGraphEmulator } from '../../../emulators/graph.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import { call, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { newId } from '../../ground/lib/ids.ts';

const graph = await openGraphEmulator({ now: () => house.clock?.now() ?? new Date(), behaviour: { sentDelayMs: 0 } });
afterAll(() => graph.close());
const publicUrl = 'https://desk.example';
const house = useHouse({ ...graph.settings, PUBLIC_URL: publicUrl, MAIL_A_WEBHOOK_SECRET: 'a secret of the tests' });
const scopes = ['Mail.ReadWrite.Shared', 'Mail.Send.Shared', 'User.Read', 'offline_access'];

let owner: Person;
let address: string;
let sharedAddress: string;
let refreshToken: string;
beforeEach(async () => {
  owner = await makeOwner(house);
  const suffix = newId().slice(-8);
  address = `ann-${suffix}@shop.example`;
  sharedAddress = `support-${suffix}@shop.example`;
  ({ refreshToken } = graph.addMailbox({ address, scopes }));
  graph.addMailbox({ address: sharedAddress });
  graph.share(sharedAddress, address);
  graph.clearLogs();
});

const connect = (more: object = {}) =>
  owner.call('POST', '/mailboxes', { provider: 'mail-a', address, sharedAddress, refreshToken, ...more });
const sync = (mailboxId: string) => syncMailbox(house.app, { workspaceId: owner.workspaceId, mailboxId });

test('a shared mailbox is connected by the consent of a person who has rights to it', async () => {
  const begun = await owner.call('POST', '/mailboxes/connect', { provider: 'mail-a', address, sharedAddress });
  for (const link of [begun.body.consentUrl, begun.body.adminConsentUrl]) {
    const asked = new URL(link).searchParams.get('scope')?.split(' ') ?? [];
    expect(asked).toEqual(expect.arrayContaining([expect.stringMatching(/\/Mail\.Send\.Shared$/), 'offline_access']));
    expect(asked.some((scope) => /Mail\.(?:ReadWrite|Send)$/.test(scope))).toBe(false);
  }
  const given = await fetch(begun.body.consentUrl, { redirect: 'manual' });
  const back = (given.headers.get('location') ?? '').replace(publicUrl, '');
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = await call(house, 'GET', back, undefined, { cookie });
  expect(page.body).toContain(`Mail that comes to ${sharedAddress} becomes tickets`);
  expect((await owner.call('GET', '/mailboxes')).body).toMatchObject([
    { address: sharedAddress, delegateAddress: address, status: 'active' },
  ]);
});

test('its mail becomes tickets without a subscription, its answers leave, and no personal mail is read', async () => {
  const { status, body: mailbox } = await connect();
  expect([status, mailbox]).toMatchObject([201, { address: sharedAddress, delegateAddress: address }]);
  await house.drain();
  await graph.deliver(sharedAddress, { from: 'cora@example.com', subject: 'Printer', text: 'It is broken.' });
  await graph.deliver(address, { from: 'mum@example.com', subject: 'Private', text: 'Call me.' });
  // Refreshed tokens have the permissions for shared mailboxes too.
  graph.expireAccess(address);
  await sync(mailbox.id);
  await house.drain();
  const { body: tickets } = await owner.call('GET', '/tickets');
  expect(tickets).toMatchObject([{ subject: 'Printer', mailboxId: mailbox.id }]);

  await owner.call('POST', `/tickets/${tickets[0].id}/messages`, { body: 'Try again.', sendEmail: true });
  await house.drain();
  const [mail] = graph.received('cora@example.com');
  expect((await parseMail(mail?.raw ?? Buffer.alloc(0))).from?.email).toBe(sharedAddress);
  expect(graph.messages(sharedAddress, 'sentitems')).toHaveLength(1);
  expect(graph.messages(address, 'sentitems')).toHaveLength(0);

  expect(graph.requests().filter(({ operation }) => operation.startsWith('subscription'))).toEqual([]);
  const { body } = await owner.call('GET', `/mailboxes/${mailbox.id}`);
  expect(body).toMatchObject({ status: 'active', statusReason: null, watches: [] });
});

test('a person without rights, with consent for their own mailbox, or another person connects nothing', async () => {
  graph.share(sharedAddress, address, null);
  const barred = await connect();
  expect(barred).toMatchObject({ status: 400, body: { key: 'mailbox.not_authorized' } });
  expect(barred.body.params.reason).toContain(`${address} may not open the mailbox ${sharedAddress}`);

  graph.share(sharedAddress, address);
  const { refreshToken: ofOwn } = graph.addMailbox({ address: `own-${address}` });
  graph.share(sharedAddress, `own-${address}`);
  expect(await connect({ address: `own-${address}`, refreshToken: ofOwn })).toMatchObject({
    status: 400,
    body: { key: 'mailbox.not_authorized', params: { code: 'insufficient_scope' } },
  });
  expect(await connect({ address: sharedAddress })).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: 'body.address' }] } },
  });
  expect(await connect({ provider: 'mail-b' })).toMatchObject({
    status: 400,
    body: { params: { issues: [{ path: 'body.sharedAddress' }] } },
  });
  expect((await owner.call('GET', '/mailboxes')).body).toEqual([]);
});

test('under another of its addresses it is the same mailbox, and the person’s own is a different one', async () => {
  const { body: mailbox } = await connect();
  await house.drain();
  await graph.deliver(sharedAddress, { from: 'cora@example.com', subject: 'Printer' });
  await sync(mailbox.id);
  const alias = `sales-${sharedAddress}`;
  graph.addAlias(sharedAddress, alias);
  graph.share(alias, address);
  expect(await connect({ sharedAddress: alias })).toMatchObject({
    status: 201,
    body: { id: mailbox.id, address: alias },
  });

  const own = graph.addMailbox({ address: `own-${address}` });
  graph.share(sharedAddress, own.address);
  graph.clearLogs();
  const { status, body } = await owner.call('POST', '/mailboxes', { provider: 'mail-a', ...own });
  expect([status, body]).toMatchObject([201, { address: own.address, delegateAddress: null }]);
  expect(body.id).not.toBe(mailbox.id);
  expect(graph.requests().filter(({ operation }) => operation === 'message.get')).toEqual([]);
});

test('an answer without the send-as right says which right is missing', async () => {
  const { body: mailbox } = await connect();
  graph.share(sharedAddress, address, { sendsAs: false });
  const mail = { subject: 'Hello', body: 'Hello.', sendEmail: true, toAddresses: ['cora@example.com'] };
  const { body: ticket } = await owner.call('POST', '/tickets', { ...mail, mailboxId: mailbox.id });
  await house.drain();
  const { body } = await owner.call('GET', `/tickets/${ticket.id}`);
  expect(body.messages[0].delivery).toMatchObject({ status: 'failed', error: expect.stringContaining('"Send as"') });
});
