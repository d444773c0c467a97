import { afterAll, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { useHouse } from '../../harness/harness.ts';
import { freePort } from '../../harness/service-process.ts';
import { axeFaults, isFocused, pressSequence, useWebPages } from '../../pages/web-pages.ts';

const gmail = await openGmailEmulator();
afterAll(() => gmail.close());
const port = await freePort();
const house = useHouse({
  ...gmail.settings,
  MAIL_B_TOPIC: 'projects/kontor/topics/mail',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
});
const { openPage, register } = useWebPages(house);

test('an owner connects a mailbox, checks, pauses, resumes, names and disconnects it', async () => {
  const address = 'help@shop.example';
  gmail.addMailbox({ address });
  const { page, complaints } = await openPage();
  await register(page);
  await pressSequence(page, 'g', ',');
  await page.getByRole('link', { name: 'Mailboxes' }).click();
  await page.getByText('No mailbox is connected yet.').waitFor();

  // A provider that is not set up says what to set, with our own addresses.
  await page.getByText('Microsoft 365').click();
  const redirectUri = page.getByRole('textbox', { name: 'Redirect URI' });
  expect(await redirectUri.inputValue()).toBe(`${house.url}/v1/mailboxes/callback`);
  expect(await page.getByRole('textbox', { name: 'Settings of the service' }).inputValue()).toContain(
    'MAIL_A_CLIENT_ID=',
  );
  expect(await axeFaults(page)).toEqual([]);

  // A consent that is declined comes back with its reason.
  gmail.denyConsent(true);
  const connect = async () => {
    await page.getByLabel('Address of the account').fill(address);
    await page.getByRole('button', { name: 'Connect Gmail' }).press('Enter');
  };
  await connect();
  await page.getByText(/The provider gave no access \(access_denied\)/).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  gmail.denyConsent(false);
  await connect();
  await expect.poll(() => isFocused(page.getByText('The mailbox is connected.'))).toBe(true);
  const state = page.getByRole('region', { name: address });
  await state.getByText('Connecting for the first time').waitFor();
  await house.drain();

  const check = page.getByRole('region', { name: 'Connection test' });
  await check.getByRole('button', { name: 'Test connection' }).press('Enter');
  await check.getByText('Everything works.').waitFor();
  expect(await check.getByRole('listitem').count()).toBe(5);
  await page.getByText(/^Whole mailbox, until/).waitFor();
  await state.getByText('Connected', { exact: true }).waitFor();
  expect(await axeFaults(page)).toEqual([]);

  await state.getByRole('button', { name: 'Pause' }).press('Enter');
  await state.getByText('Nothing is fetched or sent').waitFor();
  await state.getByRole('button', { name: 'Resume' }).press('Enter');
  await state.getByText('Connected', { exact: true }).waitFor();

  // The service itself notices a consent that ended, and the page hears of it.
  gmail.revoke(address);
  await check.getByRole('button', { name: 'Test connection' }).click();
  await check.getByText('Connect the mailbox again. Nothing is lost.').waitFor();
  gmail.addMailbox({ address });

  const defaults = page.getByRole('region', { name: 'Defaults' });
  await defaults.getByLabel('Name').fill('Help desk');
  await defaults.getByLabel('Assignee').selectOption({ label: 'Ada' });
  await defaults.getByLabel('Tags').fill('shop, mail');
  await defaults.getByLabel(/^Signature/).fill('Yours\nthe shop');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.', { exact: true }).waitFor();

  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('No mailbox is connected yet.').waitFor();
  expect(page.url()).toMatch(/\/settings\/mailboxes$/);
  expect(complaints).toEqual([]);
});
