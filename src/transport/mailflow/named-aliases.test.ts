import { expect, test } from 'vitest';
import { ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { mailOf, useImapMail } from '../../../test/worlds/use-imap-mail.ts';
import { sql } from '../../ground/database/sql.ts';
import { watchMailbox } from '../../mail/mailboxes/watch-mailbox.ts';

const { house, server, openDesk } = await useImapMail();

async function aliasedDesk() {
  const desk = await openDesk();
  const name = (aliases: unknown) => desk.owner.call('PATCH', `/mailboxes/${desk.id}`, { aliases });
  const deliver = async (...headers: string[]) => {
    server.deliver(desk.address, { raw: mailOf('Printer', headers) });
    await desk.read();
    return ticketOf(desk.owner, (await ticketsOf(desk.owner)).at(-1).id);
  };
  return { ...desk, name, deliver };
}

test('the aliases that people name for an IMAP mailbox get no answer, and become no contacts', async () => {
  const { owner, address, name, deliver } = await aliasedDesk();
  const named = await name(['hello@office.example', 'Hello@Office.Example', address, 'sales@other.example']);
  expect(named.status).toBe(200);
  expect(named.body.aliases).toEqual(['Hello@Office.Example', 'sales@other.example']);
  const ticket = await deliver(
    `To: Us <hello@office.example>`,
    `Cc: ${address}, SALES+x@other.example, eve@customer.test`,
  );
  expect(ticket).toMatchObject({
    replyDefaults: { to: ['mia@example.com'], cc: [] },
    replyOffers: ['eve@customer.test'],
  });
  const toAll = { body: 'Sure.', sendEmail: true, ccAddresses: ['hello@office.example', 'eve@customer.test'] };
  expect((await owner.call('POST', `/tickets/${ticket.id}/messages`, toAll)).body.cc).toEqual(['eve@customer.test']);
  const contacts = await house.app.db.rows<{ email: string }>(sql`
    select email from contacts where workspace_id = ${owner.workspaceId} order by email`);
  expect(contacts.map(({ email }) => email)).toEqual(['eve@customer.test', 'mia@example.com']);
});

test('named aliases count for mail that is here already, stay, and can be taken back', async () => {
  const { owner, id, mailbox, name, deliver } = await aliasedDesk();
  const ticket = await deliver('To: hello@office.example', 'Cc: info@office.example');
  const offers = async () => (await ticketOf(owner, ticket.id)).replyOffers;
  expect(await offers()).toEqual(['hello@office.example', 'info@office.example']);
  await name(['hello@office.example', 'info@office.example']);
  expect(await offers()).toEqual([]);
  await owner.call('PATCH', `/mailboxes/${id}`, { name: 'Desk' });
  await watchMailbox(house.app, mailbox);
  expect(await offers()).toEqual([]);
  const { items } = (await owner.call('GET', '/audit?type=mailbox.changed')).body;
  expect(items.map(({ data }: any) => data.changed).sort()).toEqual([['aliases'], ['name']]);
  expect((await name([])).body.aliases).toEqual([]);
  expect(await offers()).toHaveLength(2);
});

test('an address at which the mail came in is ours', async () => {
  const { deliver } = await aliasedDesk();
  for (const field of ['X-RCPT-To', 'Delivered-To', 'X-Original-To', 'Envelope-To']) {
    const alias = `${field.toLowerCase()}@office.example`;
    expect((await deliver(`To: ${alias}`, `${field}: <${alias}>`)).replyOffers).toEqual([]);
  }
});

test.each([['x'], [['no address']], [Array.from({ length: 101 }, (_, index) => `a${index}@office.example`)]])(
  'aliases that are none are refused: %j',
  async (aliases) => {
    const { name } = await aliasedDesk();
    expect((await name(aliases)).status).toBe(400);
  },
);
