import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { useWebPages } from '../../pages/web-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

async function boxOf(place: Locator) {
  const box = await place.boundingBox();
  if (box === null) throw new Error('not on the screen');
  return { ...box, end: box.x + box.width, foot: box.y + box.height };
}

test('one toast stands in the middle of the conversation, above the composer and beside the list', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  for (const Subject of ['One', 'Two']) await ingest(house, owner, [mailOf({ headers: { Subject } })]);
  await page.goto('/t/2');
  await page.getByRole('heading', { level: 1, name: 'Two' }).waitFor();
  const toast = page.getByRole('status').locator('div').filter({ hasText: '#2' });
  const [list, conversation, composer, rail] = [
    page.getByRole('region', { name: 'Tickets', exact: true }),
    page.getByRole('group', { name: 'Messages' }),
    page.getByRole('region', { name: 'Reply', exact: true }),
    page.getByRole('complementary', { name: 'Details' }),
  ];
  for (const width of [1440, 1280, 1024]) {
    await page.setViewportSize({ width, height: 800 });
    await page.locator('body').press('w');
    await toast.getByText(/follow/).waitFor();
    // The animation moves it.
    await toast.evaluate((one: any) => Promise.all(one.getAnimations().map(({ finished }: any) => finished)));
    // At a new width the composer takes its height after a moment.
    await expect.poll(async () => (await boxOf(composer)).y - (await boxOf(toast)).foot).toBeGreaterThanOrEqual(0);
    const [shown, messages] = [await boxOf(toast), await boxOf(conversation)];
    expect(shown.x).toBeGreaterThanOrEqual((await boxOf(list)).end);
    expect(Math.abs((shown.x + shown.end) / 2 - (messages.x + messages.end) / 2)).toBeLessThan(2);
    if (width > 1099) expect(shown.end).toBeLessThanOrEqual((await boxOf(rail)).x);
  }
  // The next takes its place, and says how the change is undone.
  await page.locator('body').press('i');
  await toast.getByText('#2 assigned').waitFor();
  expect(await toast.count()).toBe(1);
  await toast.getByRole('button', { name: 'Undo' }).click();
  await toast.getByText(/Undone/).waitFor();
  expect(await toast.count()).toBe(1);
});
