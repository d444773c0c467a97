import { expect, test } from 'vitest';
import { useHouse } from '../harness.ts';
import { ingest, mailOf } from '../mails.ts';
import { axeFaults, pressSequence, searchOf, useWebPages } from '../web-pages.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

test('filters are saved as a view, which is opened from the sidebar, changed and deleted', async () => {
  const { page, complaints } = await openPage();
  await register(page);
  await page.goto('/?tags=vip');
  await page.getByRole('button', { name: 'Save as view' }).click();
  await page.getByLabel('Name').fill('Important people');
  await page.getByLabel('Share with everyone').check();
  await page.keyboard.press('Enter');
  const link = page.getByRole('navigation', { name: 'Lists' }).getByRole('link', { name: 'Important people' });
  await link.waitFor();
  await expect.poll(() => link.getAttribute('aria-current')).toBe('page');
  await expect.poll(() => page.title()).toBe('Important people · Kontor');
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Priority');
  await page.getByText('Differs from the view.').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Differs from the view.').waitFor({ state: 'detached' });
  await page.locator('body').click();
  await pressSequence(page, 'g', 'm');
  await page.getByRole('heading', { name: 'Assigned to me' }).waitFor();
  await pressSequence(page, 'g', '1');
  await page.getByRole('heading', { name: 'Important people' }).waitFor();
  await expect.poll(() => searchOf(page)).toMatch(/^\?tags=vip&sort=priority&view=/);
  await page.goto(`/v/${new URL(page.url()).searchParams.get('view')}`);
  await page.getByRole('button', { name: 'Edit view' }).click();
  await page.getByRole('button', { name: 'Delete view' }).click();
  await page.getByRole('heading', { name: 'Open' }).waitFor();
  await expect.poll(() => link.count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('on a phone the lists are a drawer', async () => {
  const { page } = await openPage({ viewport: { width: 360, height: 740 }, hasTouch: true });
  const owner = await register(page);
  await ingest(house, owner, [mailOf()]);
  await page.getByRole('link', { name: /printer/ }).waitFor();
  await page.getByRole('button', { name: 'Lists and more' }).tap();
  await page.getByRole('link', { name: 'Closed' }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Closed' }).tap();
  await page.getByRole('heading', { name: 'Closed' }).waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Assigned to me' }).count()).toBe(0);
});
