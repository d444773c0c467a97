import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, isFocused, pressSequence, useWebPages } from '../../pages/web-pages.ts';
import { deliveryDesk, refused } from '../../worlds/delivery-desk.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);
let owner: Person;
const { answer, attempt, bounce, inState } = deliveryDesk(house, () => owner);

test('undelivered answers are corrected, sent again and marked as handled by keyboard', async () => {
  const { page, complaints } = await openPage();
  owner = await register(page);
  const failed = await answer({ body: 'Your parcel has left.' });
  await attempt(failed, refused);
  const back = await answer({ body: 'It arrives on Monday.' });
  await attempt(back, { ok: true });
  await bounce(back);
  await inState('uncertain');

  const link = page.getByRole('link', { name: 'Undelivered 3' });
  await link.waitFor();
  await pressSequence(page, 'g', 'x');
  const list = page.getByRole('list', { name: 'Undelivered' });
  await list.getByText('The address does not work.').waitFor();
  await list.getByText('The mail server said: 550 no such user').waitFor();
  expect(await list.getByRole('listitem').count()).toBe(3);
  expect(await page.title()).toContain('Undelivered');
  expect(await axeFaults(page)).toEqual([]);

  // The focus goes to the line that takes the place of the settled line.
  await page.getByRole('button', { name: 'Send again, #1 to c@example.org', exact: true }).press('Enter');
  await page.getByText('The reply to #1 is on its way again.').waitFor();
  await expect.poll(() => isFocused(page.getByRole('link', { name: '#2 Printer' }))).toBe(true);
  await page.getByRole('button', { name: 'Mark as handled, #3 to c@example.org' }).press('Enter');
  await page.getByText('The reply to #3 is marked as handled.').waitFor();
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1);

  await page.getByRole('button', { name: 'Edit and send again, #2 to c@example.org' }).press('Enter');
  await page.getByRole('heading', { name: 'Printer' }).waitFor();
  await page.keyboard.press('r');
  await page.getByRole('textbox', { name: 'Text' }).getByText('It arrives on Monday.').waitFor();
  await expect.poll(async () => (await owner.call('GET', '/messages/undelivered')).body.items).toEqual([]);
  await page.getByRole('link', { name: /^Undelivered/ }).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('mails of the quarantine are looked at, read again and discarded by keyboard', async () => {
  const { page, complaints } = await openPage();
  owner = await register(page);
  await ingest(house, owner, [Buffer.from('\0not a mail'), Buffer.from('\0not one either')]);
  await page.goto('/settings/quarantine');
  const list = page.getByRole('list', { name: 'Emails that could not be read' });
  await expect.poll(() => list.getByRole('listitem').count()).toBe(2);
  const look = list.getByRole('button', { name: /^View the email/ }).first();
  await look.press('Enter');
  await list.getByText('not one either').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    list.getByRole('link', { name: 'Download the whole email' }).press('Enter'),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.eml$/);
  expect(await axeFaults(page)).toEqual([]);

  page.once('dialog', (dialog) => {
    expect(dialog.message()).toContain('Ticket #2 goes to the trash');
    void dialog.accept();
  });
  await list
    .getByRole('button', { name: /^Discard/ })
    .first()
    .press('Enter');
  await page.getByText('The email is discarded.').waitFor();
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
  await list.getByRole('button', { name: /^Try again: the email/ }).press('Enter');
  await page.getByText('Every email that came in could be read.').waitFor();
  expect(complaints).toEqual([]);
});
