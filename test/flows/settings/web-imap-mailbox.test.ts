import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { syncMailbox } from '../../harness/sync-now.ts';
import { axeFaults, isFocused, pressSequence, useWebPages } from '../../pages/web-pages.ts';
import { startWriting, textOf } from '../../pages/writing-pages.ts';
import { hasDovecot, openDovecot, password } from '../../peers/dovecot.ts';
import type { Person } from '../../worlds/factories.ts';

const server = hasDovecot ? await openDovecot() : undefined;
afterAll(() => server?.close());
const house = useHouse({ MAIL_ALLOWED_NETWORKS: '127.0.0.0/8' });
const { openPage, register } = useWebPages(house);

test.skipIf(server === undefined)(
  'an owner connects a mailbox by address and password, and answers through it',
  async () => {
    const dovecot = server as NonNullable<typeof server>;
    const { imap, smtp } = dovecot;
    const { page, complaints } = await openPage();
    const owner = await register(page);
    await pressSequence(page, 'g', ',');
    await page.getByRole('link', { name: 'Mailboxes' }).click();
    await page.getByText('Any other mailbox (IMAP)').click();

    const address = page.getByLabel('Address of the mailbox');
    await address.fill('mia@gmx.net');
    await address.press('Tab');
    const read = page.getByRole('group', { name: 'Incoming (IMAP)' });
    const sends = page.getByRole('group', { name: 'Outgoing (SMTP)' });
    await expect.poll(() => read.getByLabel('Server', { exact: true }).inputValue()).toBe('imap.gmx.net');
    expect(await sends.getByLabel('Server', { exact: true }).inputValue()).toBe('mail.gmx.net');
    expect(await axeFaults(page)).toEqual([]);

    await address.fill('help@shop.example');
    for (const [group, end] of [
      [read, imap],
      [sends, smtp],
    ] as const) {
      await group.getByLabel('Server', { exact: true }).fill(end.host);
      await group.getByLabel('Port').fill(String(end.port));
      await group.getByLabel('Encryption').selectOption('none');
    }
    await page.getByLabel('Password of the mailbox').fill('wrong');
    await page.getByRole('button', { name: 'Connect this mailbox' }).press('Enter');
    await page.getByText(/refuses the user name or the password/).waitFor();
    await page.getByLabel('Password of the mailbox').fill(password);
    await page.getByRole('button', { name: 'Connect this mailbox' }).press('Enter');
    const said = page.getByText('The mailbox is connected.');
    await expect.poll(() => isFocused(said)).toBe(true);
    expect(await said.evaluate((element: any) => element.getBoundingClientRect().top)).toBeGreaterThan(0);
    await page.getByRole('region', { name: 'help@shop.example' }).waitFor();

    await takesAndAnswers(page, owner, dovecot);
    expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
  },
);

/** Receives a mail, compares, chooses a folder, and answers. */
async function takesAndAnswers(page: Page, owner: Person, dovecot: Awaited<ReturnType<typeof openDovecot>>) {
  const { body: boxes } = await owner.call('GET', '/mailboxes');
  const mailbox = { workspaceId: owner.workspaceId, mailboxId: boxes[0].id };
  const look = async () => {
    await syncMailbox(house.app, mailbox);
    await house.drain();
  };
  await look();
  const question = [
    'From: Ann Example <ann@example.com>',
    'Subject: Where is it?',
    'Message-ID: <1@example.com>',
    '',
    'Hello.',
  ];
  await dovecot.as('help@shop.example', (client) => client.append('INBOX', question.join('\r\n')));
  await look();

  await page.getByRole('button', { name: 'Compare now' }).press('Enter');
  await page.getByText('1 on the server, 1 of them imported').waitFor();
  await page.getByRole('button', { name: 'Show folders' }).press('Enter');
  await page.getByRole('checkbox', { name: 'Junk' }).press('Space');
  expect(await page.getByLabel('Folder for sent email').inputValue()).toBe('Sent');
  await page.getByLabel('Once a new email is a ticket').selectOption('move');
  expect(await page.getByLabel('Folder for imported email').inputValue()).toBe('Trash');
  await page.getByRole('button', { name: 'Read these folders' }).press('Enter');
  await page.getByText('Kontor reads these folders from now on.').waitFor();
  expect(await axeFaults(page)).toEqual([]);

  await page.goto('/t/1');
  await startWriting(page);
  await textOf(page).fill('It is on its way.');
  const answered = page.waitForResponse((response) => /\/tickets\/[^/]+\/messages$/.test(response.url()));
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const { id } = await (await answered).json();
  await page.request.post(`${(await answered).url()}/${id}/retry`, { headers: { origin: house.url } });
  await house.drain();
  expect(dovecot.mails.map(({ to }) => to)).toEqual([['ann@example.com']]);
  // Kontor waits a while for a server that files the copy itself. Another client then sees a single copy.
  const copies = () =>
    dovecot.as('help@shop.example', async (client) => {
      await client.mailboxOpen('Sent', { readOnly: true });
      return client.search({ header: { to: 'ann@example.com' } }, { uid: true });
    });
  for (let wait = 0; wait < 5; wait++) {
    house.clock.advance(60_000);
    await house.drain();
  }
  await expect.poll(copies).toHaveLength(1);
}
