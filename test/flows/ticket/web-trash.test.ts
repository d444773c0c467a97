import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, pressSequence, useWebPages } from '../../pages/web-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

test('a ticket goes to the trash by key, comes back, and is deleted for good', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  for (const subject of ['Broken lamp', 'Broken chair', 'Broken table'])
    await ingest(house, owner, [mailOf({ headers: { Subject: subject } })]);
  const row = (subject: string) =>
    page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });
  // Each new ticket moves the rows below it.
  await row('Broken table').waitFor();
  await row('Broken lamp').click();
  await page.getByRole('heading', { name: 'Broken lamp' }).waitFor();
  await page.keyboard.press('#');
  await page.getByText(/moved to the trash/).waitFor();
  await expect.poll(() => row('Broken lamp').count()).toBe(0);
  await page.keyboard.press('z');
  await row('Broken lamp').waitFor();
  await row('Broken lamp').click();
  await page.keyboard.press('#');
  await expect.poll(() => row('Broken lamp').count()).toBe(0);

  await pressSequence(page, 'g', 't');
  await page.getByRole('heading', { name: 'Trash' }).waitFor();
  await row('Broken lamp').click();
  await page.getByText(/In the trash. It is deleted for good on/).waitFor();
  expect(await page.getByRole('button', { name: /Reply/ }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Priority normal' }).isDisabled()).toBe(true);
  for (const name of ['Close', 'Forward'])
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('e');
  await page.getByText('Tickets in the trash cannot be changed.').waitFor();
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await expect.poll(() => row('Broken lamp').count()).toBe(0);

  await pressSequence(page, 'g', 'i');
  await row('Broken lamp').waitFor();
  await page.keyboard.press('Control+a');
  await page.getByRole('button', { name: 'Trash', exact: true }).click();
  await expect.poll(() => row('Broken').count()).toBe(0);
  await pressSequence(page, 'g', 't');
  await expect.poll(() => row('Broken').count()).toBe(3);
  // The former list may show the same rows, until this list is there.
  await page.getByRole('heading', { name: 'Trash' }).waitFor();
  await page.keyboard.press('Control+a');
  const purge = page.getByRole('region', { name: 'Selected tickets' }).getByRole('button', { name: 'Delete for good' });
  await purge.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delete for good: 3 tickets' });
  await dialog.getByText('This deletes 3 tickets with 3 messages').waitFor();
  await dialog.getByText('This cannot be undone.').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  // The dialog begins at the way out.
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await row('Broken').count()).toBe(3);
  await purge.press('Enter');
  await dialog.getByRole('button', { name: 'Delete 3 tickets for good' }).press('Enter');
  await page.getByText('3 tickets were deleted for good.').waitFor();
  await page.getByText('Deleted tickets stay here for 30 days.').waitFor();
  expect((await owner.call('GET', '/tickets?trash=true')).body).toEqual([]);
  expect(complaints).toEqual([]);
});
