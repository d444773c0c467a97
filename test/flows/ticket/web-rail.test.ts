import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, isFocused, rowOf, useWebPages } from '../../pages/web-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

/** Opens the newest of these tickets, all of one person. */
async function openTicket(...subjects: string[]) {
  const opened = await openPage();
  const owner = await register(opened.page);
  for (const Subject of subjects) await ingest(house, owner as Person, [mailOf({ headers: { Subject } })]);
  await rowOf(opened.page, subjects.at(-1) ?? '').click();
  await opened.page.getByRole('heading', { level: 1, name: subjects.at(-1) ?? '' }).waitFor();
  return { ...opened, owner };
}

const railOf = (page: Page) => page.getByRole('complementary', { name: 'Details' });

test('the head is one row, however long the subject and however many the tags', async () => {
  const { page, owner } = await openTicket(`A question about ${'a very long subject '.repeat(12).trim()}`);
  const { body: ticket } = await owner.call('GET', '/tickets/number/1');
  const tags = ['business', 'delivery', 'a rather long tag', 'warranty', 'spare part'];
  await owner.call('PATCH', `/tickets/${ticket.id}`, { tags });
  await page.reload();
  await railOf(page).getByText('spare part').waitFor();
  const head = page.getByRole('article', { name: /^A question/ }).locator('> header');
  for (const width of [1440, 1280, 1100, 960, 800]) {
    await page.setViewportSize({ width, height: 800 });
    const bounds = await head.boundingBox();
    expect({ width, height: bounds?.height }).toEqual({ width, height: 52 });
    const end = await page.getByRole('button', { name: 'More actions' }).boundingBox();
    expect((end?.x ?? 0) + (end?.width ?? 0)).toBeLessThanOrEqual((bounds?.x ?? 0) + (bounds?.width ?? 0));
  }
  expect(await page.getByRole('heading', { level: 1 }).getAttribute('title')).toContain('A question about');
});

test('the rail shows the person and the properties, and is closed and opened by its key', async () => {
  const { page, owner, complaints } = await openTicket('Older', 'Newer');
  const rail = railOf(page);
  await rail.getByText('2 open of 2 tickets').waitFor();
  await rail.getByRole('link', { name: /Older/ }).waitFor();
  expect(await rail.getByRole('link', { name: /Newer/ }).count()).toBe(0);
  await ingest(house, owner as Person, [mailOf({ headers: { Subject: 'Newest' } })]);
  await rail.getByText('3 open of 3 tickets').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('\\');
  await rail.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Newer' }).waitFor();
  expect(await rail.count()).toBe(0);
  await page.keyboard.press('\\');
  await expect.poll(() => isFocused(rail)).toBe(true);
  // The first stop is the person, then come the properties.
  await page.keyboard.press('Tab');
  await expect.poll(() => isFocused(rail.getByRole('link', { name: 'Ann Example' }))).toBe(true);
  await rail.getByRole('button', { name: 'Priority Normal' }).press('Enter');
  await page.getByRole('dialog').getByRole('option', { name: 'High' }).click();
  await rail.getByRole('button', { name: 'Priority High' }).waitFor();
  await rail.getByRole('button', { name: 'Followers' }).press('Enter');
  await page
    .getByRole('status')
    .getByText(/follow #2/)
    .waitFor();
  expect(complaints).toEqual([]);
});

test('a narrow page lays the rail over the conversation, and shows the properties as chips', async () => {
  const { page } = await openTicket('Narrow');
  const rail = railOf(page);
  for (const width of [1024, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await rail.waitFor({ state: 'detached' });
    const chips = page.getByRole('group', { name: 'Properties' });
    await chips.getByRole('button', { name: 'Status Open' }).waitFor();
    const opener = page.getByRole('button', { name: width === 390 ? 'More actions' : 'Details' });
    await opener.click();
    if (width === 390) await page.getByRole('menuitem', { name: 'Show or hide the contact' }).click();
    await expect.poll(() => isFocused(rail)).toBe(true);
    expect(Math.round((await rail.boundingBox())?.width ?? 0)).toBe(320);
    await page.keyboard.press('Escape');
    await rail.waitFor({ state: 'detached' });
    if (width === 1024) await expect.poll(() => isFocused(opener)).toBe(true);
  }
});

test('the menu of a ticket runs its commands by keyboard, and gives the focus back', async () => {
  const { page, owner } = await openTicket('Menu');
  const opener = page.getByRole('button', { name: 'More actions' });
  const menu = page.getByRole('menu', { name: 'More actions' });
  await opener.press('Enter');
  await menu.getByRole('menuitem', { name: 'Forward' }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  // What the ticket does not allow is not offered.
  expect(await menu.getByRole('menuitem', { name: /Merge|Unarchive|Not spam/ }).allTextContents()).toEqual([
    'Merge with another ticketm',
  ]);
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  await expect.poll(() => isFocused(opener)).toBe(true);
  await page.keyboard.press('Enter');
  await menu.getByRole('menuitem', { name: 'Archive' }).press('Enter');
  await expect.poll(async () => (await owner.call('GET', '/tickets/number/1')).body.archivedAt).not.toBeNull();
});

test('the menu of a message splits the ticket from there', async () => {
  const { page, owner } = await openTicket('Two things');
  const { body: ticket } = await owner.call('GET', '/tickets/number/1');
  for (const body of ['The second thing.', 'Still the second thing.'])
    await owner.call('POST', `/tickets/${ticket.id}/messages`, { body, isInternal: true });
  await page.reload();
  await page.getByRole('article').getByText('Still the second thing.').first().waitFor();
  await page.keyboard.press(';');
  const second = page.locator('[data-message]').nth(1);
  await second.getByRole('button', { name: 'More for this message' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Split from here' }).press('Enter');
  const marked = page.getByRole('dialog').getByRole('checkbox');
  await expect
    .poll(() => marked.evaluateAll((boxes: any[]) => boxes.map(({ checked }) => checked)))
    .toEqual([false, true, true]);
});

test('a picker opens beside what was clicked, or beside its property when a key opens it', async () => {
  const { page } = await openTicket('Pickers');
  const dialog = page.getByRole('dialog');
  const property = railOf(page).getByRole('button', { name: 'Priority Normal' });
  const assign = page.getByRole('button', { name: 'Assignee: Unassigned' });
  const openings = [
    [property, () => property.click()],
    [assign, () => assign.click()],
    [railOf(page).getByRole('button', { name: 'Snooze' }), () => page.locator('body').press('h')],
  ] as const;
  for (const [button, open] of openings) {
    await open();
    await dialog.getByRole('option').first().waitFor();
    // The animation makes it larger.
    await dialog.evaluate((one: any) => Promise.all(one.getAnimations().map(({ finished }: any) => finished)));
    const [near, shown] = [await button.boundingBox(), await dialog.boundingBox()];
    if (near === null || shown === null) throw new Error('not on the screen');
    expect(Math.round(shown.y - (near.y + near.height))).toBe(4);
    expect(shown.x + shown.width).toBeGreaterThan(near.x);
    expect(shown.x).toBeLessThanOrEqual(near.x);
    expect(Math.round(shown.width)).toBe(256);
    // All pickers are one component.
    if (button === assign) expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  await assign.click();
  await dialog.getByRole('option', { name: /^Me/ }).click();
  await expect.poll(() => isFocused(page.getByRole('button', { name: 'Assignee: Ada' }))).toBe(true);
  // On a phone it comes from below.
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByRole('button', { name: 'Status Open' }).click();
  await dialog.getByRole('option').first().waitFor();
  await expect
    .poll(async () => {
      const shown = await dialog.boundingBox();
      return [shown?.x, shown?.width, (shown?.y ?? 0) + (shown?.height ?? 0)];
    })
    .toEqual([0, 390, 800]);
});
