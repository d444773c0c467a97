/** Old mail that comes to an IMAP inbox, and mail that only lay elsewhere for a while. */
import { expect, test } from 'vitest';
import { earlier } from '../../../test/harness/earlier.ts';
import { mailOf, useImapMail } from '../../../test/worlds/use-imap-mail.ts';
import { sql } from '../../ground/database/sql.ts';
import { getMailbox } from '../../mail/mailboxes/queries.ts';

const { house, server, openDesk } = await useImapMail();
const dayMs = 86_400_000;

type Desk = Awaited<ReturnType<typeof openDesk>>;

const connectedBefore = ({ id }: Desk, interval: string) =>
  house.app.db.tx((tx) =>
    tx.run(sql`update mailboxes set connected_at = ${earlier(sql`connected_at`, interval)} where id = ${id}`),
  );

/** As a mail client moves or copies a mail, which keeps its times. */
function drag({ address }: Desk, subject: string, daysAgo: number, headers: readonly string[] = []): void {
  const at = new Date(house.clock.now().getTime() - daysAgo * dayMs);
  server.deliver(address, { raw: mailOf(subject, headers, at), internalDate: at });
}

const ticketsOf = ({ owner }: Desk) =>
  house.app.db.rows<{ subject: string; status: string; isWaiting: boolean; isUnread: boolean; tags: string[] }>(sql`
    select t.subject, t.status, t.waiting_since is not null as "isWaiting", t.tags,
      exists (
        select from unread_tickets u where u.workspace_id = ${owner.workspaceId} and u.ticket_id = t.id
      ) as "isUnread"
    from tickets t where t.workspace_id = ${owner.workspaceId} order by t.subject`);

test('mail from before the connection becomes closed tickets, of which nobody is told', async () => {
  const desk = await openDesk({ historyDays: 30 });
  drag(desk, '1 dragged', 200);
  drag(desk, '2 dragged', 5);
  drag(desk, '3 dragged', 1);
  server.deliver(desk.address, { raw: mailOf('4 new') });
  await desk.read();
  const old = { status: 'closed', isWaiting: false, isUnread: false };
  expect(await ticketsOf(desk)).toMatchObject([
    { subject: '1 dragged', ...old },
    { subject: '2 dragged', ...old },
    { subject: '3 dragged', ...old },
    { subject: '4 new', status: 'open', isWaiting: true, isUnread: true },
  ]);
});

test('older mail that the owner asked for opens tickets, of which nobody is told', async () => {
  const desk = await openDesk({ historyDays: 30 }, (address) => {
    const at = new Date(house.clock.now().getTime() - 5 * dayMs);
    server.deliver(address, { raw: mailOf('Asked for', [], at), internalDate: at });
  });
  expect(await ticketsOf(desk)).toMatchObject([{ status: 'open', isUnread: false }]);
});

test('mail that is rescued from Junk within 30 days is new, and older mail is not', async () => {
  const desk = await openDesk({ defaultTags: ['shop'] });
  await connectedBefore(desk, '60 days');
  drag(desk, '1 rescued', 2);
  drag(desk, '2 rescued', 29);
  drag(desk, '3 dragged', 31);
  await desk.read();
  const fresh = { status: 'open', isWaiting: true, isUnread: true, tags: ['shop'] };
  expect(await ticketsOf(desk)).toMatchObject([
    { subject: '1 rescued', ...fresh },
    { subject: '2 rescued', ...fresh },
    { subject: '3 dragged', status: 'closed', isWaiting: false, isUnread: false, tags: [] },
  ]);
});

test("a customer's answer that lay in Junk for days opens its closed ticket", async () => {
  const desk = await openDesk();
  server.deliver(desk.address, { raw: mailOf('Question', ['X-Of: 1']) });
  await desk.read();
  const { id } = await house.app.db.one<{ id: string }>(sql`
    select rfc_message_id as id from messages where workspace_id = ${desk.owner.workspaceId}`);
  await house.app.db.tx((tx) =>
    tx.run(sql`update tickets set status = 'closed' where workspace_id = ${desk.owner.workspaceId}`),
  );
  await connectedBefore(desk, '60 days');
  drag(desk, 'Re: Question', 3, [`In-Reply-To: <${id}>`]);
  await desk.read();
  expect(await ticketsOf(desk)).toMatchObject([{ subject: 'Question', status: 'open', isUnread: true }]);
});

test('of more than 100 late mails at once, all become closed tickets, and the status says so', async () => {
  const desk = await openDesk();
  await connectedBefore(desk, '60 days');
  for (let mail = 0; mail < 101; mail++) drag(desk, '1 late', 3);
  server.deliver(desk.address, { raw: mailOf('2 new') });
  drag(desk, '3 late by hours', 0.5);
  await desk.read();
  const tickets = await ticketsOf(desk);
  const closed = tickets.filter(({ status, isUnread }) => status === 'closed' && !isUnread);
  expect(closed.map(({ subject }) => subject)).toEqual(Array(101).fill('1 late'));
  expect(tickets.slice(101)).toMatchObject([
    { subject: '2 new', status: 'open', isUnread: true },
    { subject: '3 late by hours', status: 'open', isUnread: true },
  ]);
  const { status, statusReason } = await getMailbox(house.app.db, desk.mailbox);
  expect({ status, statusReason }).toEqual({ status: 'active', statusReason: expect.stringContaining('100') });
});

test('up to 100 late mails at once are new', async () => {
  const desk = await openDesk();
  await connectedBefore(desk, '60 days');
  for (let mail = 0; mail < 100; mail++) drag(desk, 'Late', 3);
  for (let mail = 0; mail < 20; mail++) server.deliver(desk.address, { raw: mailOf('New') });
  await desk.read();
  const tickets = await ticketsOf(desk);
  expect(tickets.filter(({ status, isUnread }) => status === 'open' && isUnread)).toHaveLength(120);
});
