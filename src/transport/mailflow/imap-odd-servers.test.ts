/** Servers with folders below INBOX, relays that rewrite mail, and mail that a server cannot show. */
import { expect, test } from 'vitest';
import { answerTo, writeMail } from '../../../emulators/customer-mail.ts';
import { usualQuirks } from '../../../emulators/imap/quirks.ts';
import { readHead } from '../../../emulators/read-mail.ts';
import type { Person } from '../../../test/worlds/factories.ts';
import { ticketOf, ticketsOf } from '../../../test/worlds/mails.ts';
import { mailOf, useImapMail } from '../../../test/worlds/use-imap-mail.ts';

const { house, server, openDesk } = await useImapMail({ delimiter: '.' });

async function answer(owner: Person, ticketId: string): Promise<void> {
  const { status } = await owner.call('POST', `/tickets/${ticketId}/messages`, { body: 'Soon.', sendEmail: true });
  expect(status).toBe(201);
  await house.drain();
}

test('folders below INBOX with names in modified UTF-7 are named in UTF-8 and read', async () => {
  const desk = await openDesk({ inboxPaths: ['INBOX', 'INBOX.Büro'] }, (address, account) => {
    account.folders.delete('Sent');
    // Without SPECIAL-USE, the folder for sent mail shows by its name.
    server.addFolder(address, 'INBOX.Sent');
    server.addFolder(address, 'INBOX.B&APw-ro');
  });
  expect(desk.connected).toMatchObject({ status: 201 });
  expect(await desk.owner.call('GET', `/mailboxes/${desk.id}/folders`)).toMatchObject({
    status: 200,
    body: {
      folders: expect.arrayContaining([
        { path: 'INBOX.Büro', use: null, isRead: true },
        { path: 'INBOX.Sent', use: 'sent', isRead: true },
      ]),
    },
  });
  server.deliver(desk.address, { path: 'INBOX.B&APw-ro', raw: mailOf('Below', ['X-Test: 1']) });
  await desk.read();
  const asked = readHead(server.folder(desk.address, 'INBOX.B&APw-ro').mails[0]?.raw ?? Buffer.alloc(0)).messageId;
  server.deliver(desk.address, {
    path: 'INBOX.Sent',
    raw: `From: ${desk.address}\r\nTo: mia@example.com\r\nSubject: Re: Below\r\nIn-Reply-To: <${asked}>\r\n\r\nYes.`,
  });
  await desk.read();
  expect(await ticketsOf(desk.owner)).toMatchObject([{ subject: 'Below', messageCount: 2 }]);
});

test.each([
  ['files no copy', { filesSentCopies: false }],
  ['files a copy', { filesSentCopies: true }],
])('a relay that gives answers another Message-ID and %s: one copy, and the reply joins', async (_what, quirks) => {
  Object.assign(server.quirks, usualQuirks, { rewritesMessageIds: true, ...quirks });
  const desk = await openDesk();
  server.deliver(desk.address, { raw: mailOf('Question') });
  await desk.read();
  const [{ id }] = await ticketsOf(desk.owner);
  await answer(desk.owner, id);
  for (const seconds of [10, 30, 120]) {
    house.clock.advance(seconds * 1_000);
    await house.drain();
  }
  expect(server.folder(desk.address, 'Sent').mails).toHaveLength(1);
  const relayed = server.submissions.at(-1)?.raw ?? Buffer.alloc(0);
  const { messages } = await ticketOf(desk.owner, id);
  expect(readHead(relayed).messageId).not.toBe(messages[1].rfcMessageId);
  server.deliver(desk.address, {
    raw: await writeMail(answerTo(relayed, 'mia@example.com'), { to: desk.address, date: house.clock.now() }),
  });
  await desk.read();
  expect(await ticketsOf(desk.owner)).toMatchObject([{ messageCount: 3 }]);
});

test('the placeholder of Exchange for a mail that it cannot show becomes a ticket with its words', async () => {
  const desk = await openDesk();
  const what = 'The server could not retrieve the following message:';
  server.deliver(desk.address, {
    raw: [
      'From: Mia <mia@example.com>',
      'Subject: Retrieval using the IMAP4 protocol failed for the following message: 12',
      'Content-Type: text/plain; charset=us-ascii',
      '',
      what,
      'Subject: "Invoice"',
      '',
    ].join('\r\n'),
  });
  await desk.read();
  const [{ id }] = await ticketsOf(desk.owner);
  expect((await ticketOf(desk.owner, id)).messages).toMatchObject([{ body: expect.stringContaining(what) }]);
});

test('a folder whose name cannot be stored is left out', async () => {
  const desk = await openDesk({}, (address, account) => {
    account.folders.delete('Sent');
    server.addFolder(address, '&AAA-x', '\\Sent');
  });
  expect(desk.connected).toMatchObject({ status: 201 });
  const { folders, sentPath } = (await desk.owner.call('GET', `/mailboxes/${desk.id}/folders`)).body;
  expect(folders.filter(({ path }: { path: string }) => path.endsWith('x'))).toEqual([]);
  expect(sentPath).toBeNull();
});
