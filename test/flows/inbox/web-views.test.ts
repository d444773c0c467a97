import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, chooseIn, isFocused, pressSequence, searchOf, useWebPages } from '../../pages/web-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

test('filters are saved as a view, which is opened from the sidebar, changed and deleted', async () => {
  const { page, complaints } = await openPage({ viewport: { width: 1440, height: 800 } });
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
  // The button that had the focus is gone.
  await page.locator(':focus').waitFor();
  await chooseIn(page, 'Order', 'Priority');
  await page.getByText('Unsaved changes').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  await pressSequence(page, 'g', 'm');
  await page.getByRole('heading', { name: 'Assigned to me' }).waitFor();
  await pressSequence(page, 'g', '1');
  await page.getByRole('heading', { name: 'Important people' }).waitFor();
  await expect.poll(() => searchOf(page)).toMatch(/^\?tags=vip&sort=priority&view=/);
  await page.goto(`/v/${new URL(page.url()).searchParams.get('view')}`);
  await page.getByRole('button', { name: 'Edit view' }).click();
  const asked: string[] = [];
  const answers = [false, true];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void (answers.shift() ? dialog.accept() : dialog.dismiss());
  });
  await page.getByRole('button', { name: 'Delete view' }).click();
  await page.getByRole('button', { name: 'Delete view' }).click();
  await page.getByRole('heading', { name: 'Open' }).waitFor();
  expect(new Set(asked)).toEqual(new Set(['Delete the view “Important people” for everyone? Its tickets stay.']));
  expect(asked).toHaveLength(2);
  await expect.poll(() => link.count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('on a phone a bar leads to inbox, search, new ticket and notifications, and a sheet has the rest', async () => {
  const { page } = await openPage({ viewport: { width: 360, height: 740 }, hasTouch: true });
  const owner = await register(page);
  await ingest(house, owner, [mailOf()]);
  await page.getByRole('link', { name: /printer/ }).waitFor();
  const bar = page.getByRole('navigation', { name: 'Main' });
  await bar.getByRole('button', { name: 'More' }).tap();
  await page.getByRole('button', { name: 'Done' }).tap();
  await page.getByRole('link', { name: 'Closed' }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Closed' }).tap();
  await page.getByRole('heading', { name: 'Closed' }).waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Assigned to me' }).count()).toBe(0);
  await bar.getByRole('button', { name: /^Notifications/ }).tap();
  await page.getByRole('dialog', { name: 'Notifications' }).waitFor();
  await page.keyboard.press('Escape');
  await bar.getByRole('link', { name: 'New ticket' }).tap();
  await page.getByRole('heading', { name: 'New ticket' }).waitFor();
  await page.goto('/c');
  // The search leads from any page to the list, and takes the next keys.
  await bar.getByRole('button', { name: 'Search' }).tap();
  await page.keyboard.type('printer');
  await page.getByRole('option', { name: /printer/ }).tap();
  await page.waitForURL(/\/t\/1/);
  expect(await bar.count()).toBe(0);
  await page.goBack();
  await bar.getByRole('link', { name: 'Inbox' }).tap();
  await page.getByRole('heading', { name: 'Open' }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
});

test('the sidebar keeps the finished lists open as they were left, and its menus work by keys', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await owner.call('POST', '/views', { name: 'Important people', query: { tags: ['vip'] } });
  await page.reload();
  const lists = page.getByRole('navigation', { name: 'Lists' });
  const done = lists.getByRole('button', { name: 'Done' });
  const trash = lists.getByRole('link', { name: 'Trash' });
  await done.waitFor();
  expect(await trash.count()).toBe(0);
  await done.press('Enter');
  await trash.waitFor();
  await page.reload();
  await trash.waitFor();
  await done.press('Enter');
  await expect.poll(() => trash.count()).toBe(0);
  // A list that is shown is never folded away.
  await pressSequence(page, 'g', 't');
  await page.getByRole('heading', { name: 'Trash' }).waitFor();
  await expect.poll(() => trash.getAttribute('aria-current')).toBe('page');
  // There is no room for the names of views, so a menu has them.
  const views = lists.getByRole('button', { name: 'Views, teams and mailboxes' });
  await views.press('Enter');
  await page.getByRole('menuitem', { name: 'Important people' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => isFocused(views)).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Important people' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Important people' }).waitFor();
  expect(complaints).toEqual([]);
});
