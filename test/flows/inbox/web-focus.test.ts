import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { isFocused, rowOf, useWebPages } from '../../pages/web-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

test('leaving a ticket for the list takes the focus along', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  for (const Subject of ['Brakes', 'Saddle']) await ingest(house, owner, [mailOf({ headers: { Subject } })]);
  await rowOf(page, 'Saddle').click();
  await page.getByRole('heading', { name: 'Saddle', exact: true }).waitFor();
  await page.getByRole('group', { name: 'Messages' }).focus();
  await page.keyboard.press('u');
  await page.waitForURL(/\/(\?|$)/);
  await expect.poll(() => isFocused(rowOf(page, 'Saddle'))).toBe(true);
});
