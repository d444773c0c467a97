import { parseMail } from '@kontor/mail/parse.ts';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { openGraphEmulator } from '../../../emulators/graph.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { syncMailbox } from '../../../test/harness/sync-now.ts';
import { makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId, type TicketId, type WorkspaceId } from '../../ground/lib/ids.ts';
import { watchMailbox } from '../../mail/mailboxes/watch-mailbox.ts';

const now = () => house.clock?.now() ?? new Date();
const gmail = await openGmailEmulator({ now });
const graph = await openGraphEmulator({ now, behaviour: { sentDelayMs: 0 } });
afterAll(() => Promise.all([gmail.close(), graph.close()]));
// No program listens there, so that Microsoft's emulator reaches nothing.
const PUBLIC_URL = 'http://localhost:1';
const house = useHouse({ ...gmail.settings, ...graph.settings, PUBLIC_URL });

describe.each([
  { provider: 'mail-a' as const, emulator: graph, consent: (address: string) => graph.giveRefreshToken(address) },
  {
    provider: 'mail-b' as const,
    emulator: gmail,
    consent: (address: string) => gmail.addMailbox({ address }).refreshToken,
  },
])('a mailbox of $provider', ({ provider, emulator, consent }) => {
  let owner: Person;
  let address: string;
  let renamed: string;
  let alias: string;
  let named: { workspaceId: WorkspaceId; mailboxId: string };
  const connect = (as: string) =>
    owner.call('POST', '/mailboxes', { provider, address: as, refreshToken: consent(as) });
  const listed = async () => (await owner.call('GET', '/mailboxes')).body;
  const tickets = async () => (await owner.call('GET', '/tickets')).body;
  const contacts = async () =>
    (
      await house.app.db.rows<{ email: string }>(
        sql`select email from contacts where workspace_id = ${owner.workspaceId} order by email`,
      )
    ).map(({ email }) => email);
  const sync = async () => {
    await syncMailbox(house.app, named);
    await house.drain();
  };
  /** Runs the daily watch renewal. Skips the pause after the provider failed to reach us. */
  const renewWatch = async () => {
    await house.app.db.tx((tx) =>
      tx.run(sql`update mailboxes set watch_until = null where workspace_id = ${named.workspaceId}`),
    );
    await watchMailbox(house.app, named);
  };
  /** The sender of the newest answer that a customer got. */
  const senderOf = async (customer: string) => {
    const mail = emulator.received(customer).at(-1);
    return (await parseMail(mail?.raw ?? Buffer.alloc(0))).from?.email;
  };
  const answer = async (ticketId: TicketId) => {
    await owner.call('POST', `/tickets/${ticketId}/messages`, { body: 'Try again.', sendEmail: true });
    await house.drain();
  };

  beforeEach(async () => {
    owner = await makeOwner(house);
    const suffix = `${newId().slice(-8)}@shop.example`;
    [address, renamed, alias] = [`help-${suffix}`, `support-${suffix}`, `sales-${suffix}`];
    emulator.addMailbox({ address });
    const { status, body } = await connect(address);
    expect(status).toBe(201);
    named = { workspaceId: owner.workspaceId, mailboxId: body.id };
    await house.drain();
  });

  test('that gets another primary address keeps working, and answers leave from the new one', async () => {
    const customer = `cora-${newId().slice(-8)}@example.com`;
    await emulator.deliver(address, { from: customer, subject: 'Printer' });
    await sync();
    emulator.rename(address, renamed);
    await renewWatch();
    expect(await listed()).toMatchObject([{ id: named.mailboxId, address: renamed, status: 'active' }]);
    const routes = await house.app.db.rows<{ key: string }>(sql`
      select route_key as key from mailbox_routes
      where workspace_id = ${named.workspaceId} and mailbox_id = ${named.mailboxId} and route_key like ${'%@%'}`);
    expect(routes.map(({ key }) => key.replace(/^address:/, ''))).toEqual([renamed]);

    const [ticket] = await tickets();
    await answer(ticket.id);
    expect(await senderOf(customer)).toBe(renamed);
    const { items } = (await owner.call('GET', '/audit?type=mailbox.changed')).body;
    expect(items).toMatchObject([{ actor: null, data: { changed: ['address'] } }]);

    // Its former address still reaches it.
    await emulator.deliver(renamed, { from: customer, to: [address], cc: ['eve@example.com'], subject: 'Scanner' });
    await sync();
    const scanner = (await tickets()).find(({ subject }: { subject: string }) => subject === 'Scanner');
    expect((await owner.call('GET', `/tickets/${scanner.id}`)).body.replyOffers).toEqual(['eve@example.com']);
  });

  test.each([
    ['works', async () => {}],
    ['was given no access any more', async () => emulator.revoke(address)],
  ])('that got another address and %s is the same mailbox when connected again', async (_what, befall) => {
    await emulator.deliver(address, { subject: 'Printer' });
    await sync();
    await befall();
    await sync();
    emulator.rename(address, renamed);
    const again = await connect(renamed);
    expect([again.status, again.body]).toMatchObject([
      201,
      { id: named.mailboxId, address: renamed, status: 'active' },
    ]);
    expect(await listed()).toHaveLength(1);
    // Its former address is free again.
    await emulator.deliver(renamed, { subject: 'Scanner' });
    await sync();
    expect((await tickets()).map(({ subject }: { subject: string }) => subject).sort()).toEqual(['Printer', 'Scanner']);
    expect((await connect(renamed)).status).toBe(409);
  });

  test('whose new address is connected in another workspace keeps its former address', async () => {
    const other = await makeOwner(house);
    emulator.addMailbox({ address: renamed });
    const taken = { provider, address: renamed, refreshToken: consent(renamed) };
    expect((await other.call('POST', '/mailboxes', taken)).status).toBe(201);
    emulator.rename(address, renamed);
    await renewWatch();
    expect(await listed()).toMatchObject([{ address, status: 'active' }]);
  });

  test.each([
    ['a mail names it', () => emulator.deliver(address, { to: [alias], cc: [address], subject: 'Printer' })],
    ['somebody asks for a sync', () => owner.call('POST', `/mailboxes/${named.mailboxId}/sync`)],
  ])('learns of a new alias once %s', async (_what, happen) => {
    emulator.addAlias(address, alias);
    house.clock.advance(660_000);
    const isDue = async () =>
      (
        await house.app.db.rows(sql`
          select from mailbox_watches where workspace_id = ${named.workspaceId} and renewed_at = 'epoch'`)
      ).length > 0;
    await emulator.deliver(address, { to: [address], cc: ['eve@example.com'], subject: 'Scanner' });
    await sync();
    expect(await isDue()).toBe(false);
    await happen();
    await sync();
    // Microsoft's emulator reaches no address here, so there is no watch. A missing one is due anyway.
    expect([await isDue(), (await listed())[0].aliases]).toEqual([provider === 'mail-b', []]);
    await renewWatch();
    expect(await listed()).toMatchObject([{ aliases: [alias] }]);
    for (const { id } of await tickets())
      expect((await owner.call('GET', `/tickets/${id}`)).body.replyOffers).not.toContain(alias);
  });

  test('takes its addresses out of the replies of open tickets at once, until it is disconnected', async () => {
    await emulator.deliver(address, { to: [address], cc: [alias, renamed], subject: 'Printer' });
    await sync();
    const [{ id }] = await tickets();
    const offers = async () => (await owner.call('GET', `/tickets/${id}`)).body.replyOffers;
    expect(await offers()).toEqual([alias, renamed]);
    emulator.addAlias(address, alias);
    await renewWatch();
    expect(await offers()).toEqual([renamed]);
    emulator.addMailbox({ address: renamed });
    const { body: second } = await connect(renamed);
    expect(await offers()).toEqual([]);
    await owner.call('DELETE', `/mailboxes/${second.id}`);
    expect(await offers()).toEqual([renamed]);
  });

  test('has aliases, which never become contacts or recipients', async () => {
    emulator.addAlias(address, alias);
    await renewWatch();
    expect(await listed()).toMatchObject([{ aliases: [alias] }]);
    for (const name of ['aliases', 'sendAs']) {
      const refused = await owner.call('PATCH', `/mailboxes/${named.mailboxId}`, { [name]: ['other@shop.example'] });
      expect(refused).toMatchObject({ status: 400, body: { params: { issues: [{ path: `body.${name}` }] } } });
    }
    expect((await listed())[0].senders).toEqual(provider === 'mail-b' ? [address, alias] : [address]);
    const customer = 'carl@example.com';
    await emulator.deliver(address, { from: customer, to: [alias], cc: ['eve@example.com'], subject: 'Printer' });
    await sync();
    const [{ id }] = await tickets();
    const { body: ticket } = await owner.call('GET', `/tickets/${id}`);
    expect(ticket).toMatchObject({ replyDefaults: { to: [customer], cc: [] }, replyOffers: ['eve@example.com'] });
    expect(await contacts()).toEqual([customer, 'eve@example.com']);
  });
});

test('an answer through Gmail leaves from the customer’s alias, unless the mail named the mailbox', async () => {
  const owner = await makeOwner(house);
  const suffix = `${newId().slice(-8)}@shop.example`;
  const [address, alias] = [`help-${suffix}`, `sales-${suffix}`];
  const { refreshToken } = gmail.addMailbox({ address });
  gmail.addAlias(address, alias);
  const { body: mailbox } = await owner.call('POST', '/mailboxes', { provider: 'mail-b', address, refreshToken });
  await house.drain();
  const senders: (string | undefined)[] = [];
  for (const [index, to] of [
    [alias],
    [alias.replace('@', '+tag@')],
    [alias, address],
    ['elsewhere@shop.example'],
  ].entries()) {
    const customer = `c${index}-${suffix}`;
    await gmail.deliver(address, { from: customer, to, subject: `Order ${index}` });
    await syncMailbox(house.app, { workspaceId: owner.workspaceId, mailboxId: mailbox.id });
    await house.drain();
    const [ticket] = (await owner.call('GET', '/tickets')).body;
    await owner.call('POST', `/tickets/${ticket.id}/messages`, { body: 'It is on its way.', sendEmail: true });
    await house.drain();
    const sent = gmail.received(customer).at(-1);
    senders.push((await parseMail(sent?.raw ?? Buffer.alloc(0))).from?.email);
  }
  expect(senders).toEqual([alias, alias, address, address]);
});

test('an unconfirmed send-as address of Gmail does not count as the mailbox’s own', async () => {
  const owner = await makeOwner(house);
  const address = `help-${newId().slice(-8)}@shop.example`;
  const { refreshToken } = gmail.addMailbox({ address });
  gmail.addAlias(address, 'boss@shop.example', 'pending');
  gmail.addAlias(address, `sales-${address}`);
  const { body } = await owner.call('POST', '/mailboxes', { provider: 'mail-b', address, refreshToken });
  expect(body.aliases).toEqual([`sales-${address}`]);
});
