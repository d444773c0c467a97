import { afterAll, expect, test } from 'vitest';
import { hasDovecot, openDovecot, password } from '../dovecot.ts';
import { useHouse } from '../harness.ts';
import { axeFaults, pressSequence, useWebPages } from '../web-pages.ts';

const server = hasDovecot ? await openDovecot() : undefined;
afterAll(() => server?.close());
const house = useHouse({ MAIL_ALLOWED_NETWORKS: '127.0.0.0/8' });
const { openPage, register } = useWebPages(house);

test.skipIf(server === undefined)('an owner connects a mailbox by address and password', async () => {
  const { imap, smtp } = server as NonNullable<typeof server>;
  const { page, complaints } = await openPage();
  await register(page);
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
  expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
});
