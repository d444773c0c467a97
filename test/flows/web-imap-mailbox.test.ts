import { afterAll, expect, test } from 'vitest';
import { hasDovecot, openDovecot, password } from '../dovecot.ts';
import { useHouse } from '../harness.ts';
import { syncMailbox } from '../sync-now.ts';
import { axeFaults, pressSequence, useWebPages } from '../web-pages.ts';

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
    const read = page.getByRole('group', { name: 'Server that is read (IMAP)' });
    const sends = page.getByRole('group', { name: 'Server that sends (SMTP)' });
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
    await page.getByText('The mailbox is connected.').waitFor();
    await page.getByRole('region', { name: 'help@shop.example' }).waitFor();

    const { body: boxes } = await owner.call('GET', '/mailboxes');
    const mailbox = { workspaceId: owner.workspaceId, mailboxId: boxes[0].id };
    const read = async () => {
      await syncMailbox(house.app, mailbox);
      await house.drain();
    };
    await read();
    const question =
      'From: Ann Example <ann@example.com>\r\nSubject: Where is it?\r\nMessage-ID: <1@example.com>\r\n\r\nHello.\r\n';
    await dovecot.as('help@shop.example', (client) => client.append('INBOX', question));
    await read();

    await page.getByRole('button', { name: 'Compare now' }).click();
    await page.getByText('1 on the server, 1 of them taken').waitFor();
    await page.getByRole('button', { name: 'Show the folders' }).click();
    await page.getByRole('checkbox', { name: 'Junk' }).check();
    await page.getByRole('button', { name: 'Read these folders' }).click();
    await page.getByText('Kontor reads these folders from now on.').waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await page.goto('/');
    await page.getByText('Where is it?').first().click();
    await page.keyboard.press('r');
    await page.keyboard.type('It is on its way.');
    await page.getByRole('button', { name: 'Send answer to Ann Example' }).click();
    await expect
      .poll(
        async () => {
          await house.drain();
          return dovecot.mails.map(({ to }) => to);
        },
        { timeout: 30_000 },
      )
      .toEqual([['ann@example.com']]);
    house.clock.advance(120_000);
    // Another client sees the one copy.
    await expect
      .poll(
        async () => {
          house.clock.advance(60_000);
          await house.drain();
          return dovecot.as('help@shop.example', async (client) => {
            await client.mailboxOpen('Sent', { readOnly: true });
            return client.search({ header: { to: 'ann@example.com' } }, { uid: true });
          });
        },
        { timeout: 30_000 },
      )
      .toHaveLength(1);
    expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
  },
);
