import { expect, test } from 'vitest';
import { useHouse } from '../../../test/harness/harness.ts';
import { makeOwner } from '../../../test/worlds/factories.ts';
import { ingest, mailOf, ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { sql } from '../../ground/database/sql.ts';

const house = useHouse({ MAIL_FROM: 'Support <support@desk.example>' });

async function openDesk() {
  const owner = await makeOwner(house);
  const name = (ownAddresses: unknown) => owner.call('PATCH', '', { ownAddresses });
  const receive = async (headers: Record<string, string>) => {
    await ingest(house, owner, [mailOf({ headers })]);
    return ticketOf(owner, (await ticketsOf(owner)).at(-1).id);
  };
  return { owner, name, receive };
}

test('the addresses that people name for a workspace get no answer, and become no contacts', async () => {
  const { owner, name, receive } = await openDesk();
  const other = await openDesk();
  const named = await name(['info@shop.example', 'INFO@Shop.example', 'sales@other.example']);
  expect([named.status, named.body.ownAddresses]).toEqual([200, ['INFO@Shop.example', 'sales@other.example']]);
  const headers = { From: 'mia@example.com', To: 'Info <info@shop.example>', Cc: 'SALES+x@other.example, eve@a.test' };
  const ticket = await receive(headers);
  expect(ticket).toMatchObject({ replyDefaults: { to: ['mia@example.com'], cc: [] }, replyOffers: ['eve@a.test'] });
  const toAll = { body: 'Sure.', sendEmail: true, ccAddresses: ['info@shop.example', 'eve@a.test'] };
  expect((await owner.call('POST', `/tickets/${ticket.id}/messages`, toAll)).body.cc).toEqual(['eve@a.test']);
  const contacts = await house.app.db.rows<{ email: string }>(sql`
    select email from contacts where workspace_id = ${owner.workspaceId} order by email`);
  expect(contacts.map(({ email }) => email)).toEqual(['eve@a.test', 'mia@example.com']);
  expect((await owner.call('POST', '/blocked-senders', { sender: 'info@shop.example' })).body.key).toBe(
    'blocked_sender.own',
  );
  // Another workspace has its own list.
  expect((await other.receive(headers)).replyOffers).toEqual([
    'info@shop.example',
    'SALES+x@other.example',
    'eve@a.test',
  ]);
});

test('a form that writes from a named address writes for the person of its Reply-To', async () => {
  const { name, receive } = await openDesk();
  await name(['web@shop.example']);
  const form = { From: 'Form <web@shop.example>', 'Reply-To': 'Carla <carla@a.test>', To: 'info@shop.example' };
  expect((await receive(form)).requester).toMatchObject({ email: 'carla@a.test' });
});

test('named addresses count for mail that is here already, stay, and can be taken back', async () => {
  const { owner, name, receive } = await openDesk();
  const { id } = await receive({ To: 'info@shop.example', Cc: 'sales@shop.example' });
  const offers = async () => (await ticketOf(owner, id)).replyOffers;
  expect(await offers()).toEqual(['info@shop.example', 'sales@shop.example']);
  await name(['info@shop.example', 'sales@shop.example']);
  expect(await offers()).toEqual([]);
  await owner.call('PATCH', '', { name: 'Desk' });
  await name(['info@shop.example', 'sales@shop.example']);
  expect(await offers()).toEqual([]);
  const { items } = (await owner.call('GET', '/audit?type=workspace.changed')).body;
  expect(items.flatMap(({ data }: any) => Object.keys(data)).sort()).toEqual(['name', 'ownAddresses']);
  expect((await name([])).body.ownAddresses).toEqual([]);
  expect(await offers()).toHaveLength(2);
});

test.each([
  ['x'],
  [['no address']],
  [['@shop.example']],
  [Array.from({ length: 101 }, (_, index) => `a${index}@b.test`)],
])('addresses that are none are refused: %j', async (addresses) => {
  const { name } = await openDesk();
  expect((await name(addresses)).status).toBe(400);
});
