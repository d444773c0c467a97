import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { placesOf } from '../../harness/places-of.ts';
import { axeFaults, useWebPages } from '../../pages/web-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);
const number = '4111222233334444';

test('the content of a message is removed for good, after a dialog that says what goes and what stays', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  const body = `The number is ${number}.`;
  await ingest(house, owner, [mailOf({ headers: { Subject: 'My card' }, body })]);
  await page.getByRole('link', { name: /My card/ }).click();
  await page.getByText(body).first().waitFor();
  const menu = page.getByRole('button', { name: 'More for this message' });
  const remove = page.getByRole('menuitem', { name: 'Redact…' });
  await menu.press('Enter');
  await remove.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Redact this message for good?' });
  await dialog.getByText('the original email').waitFor();
  await dialog.getByText(/What stays: who wrote when to whom/).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  // Enter in the field removes nothing.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(body).first().waitFor();

  await menu.press('Enter');
  await remove.press('Enter');
  await dialog.getByLabel(/Reason/).fill('a card number');
  await dialog.getByRole('button', { name: 'Redact for good' }).click();
  await page.getByText('The message is redacted.').waitFor();
  await page.getByText(/removed the text, the files and the original of this message/).waitFor();
  await page.getByText(/redacted a message/).waitFor();
  expect(await page.getByText(body).count()).toBe(0);
  await menu.press('Enter');
  await expect
    .poll(() => page.getByRole('menuitem').allTextContents())
    .toEqual(['Print', 'Split from here', 'Collapse message']);
  expect(await axeFaults(page)).toEqual([]);
  expect((await placesOf(house, number)).filter((place) => !place.includes('/'))).toEqual([]);
  expect(complaints).toEqual([]);
});
