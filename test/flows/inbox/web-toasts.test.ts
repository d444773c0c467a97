import type { Locator, Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { pressSequence, rowOf } from '../../pages/web-pages.ts';
import { rewrite, useWritingPages } from '../../pages/writing-pages.ts';
import { deliveryDesk, refused } from '../../worlds/delivery-desk.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, openTicket, register } = useWritingPages(house);
let desk: Person;
const { attempt } = deliveryDesk(house, () => desk);

async function boxOf(place: Locator) {
  const box = await place.boundingBox({ timeout: 2_000 });
  if (box === null) throw new Error('not on the screen');
  return { ...box, end: box.x + box.width, foot: box.y + box.height };
}

function middleOf({ x, end }: { x: number; end: number } = { x: Number.NaN, end: Number.NaN }): number {
  return (x + end) / 2;
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
    // At a new width the composer takes its height after a moment, and the toast goes after some seconds.
    await vi.waitFor(async () => {
      await page.locator('body').press('w');
      await toast.getByText(/follow/).waitFor();
      // The animation moves it.
      await toast.evaluate((one: any) => Promise.all(one.getAnimations().map(({ finished }: any) => finished)));
      const places = [toast, conversation, composer, list, ...(width > 1099 ? [rail] : [])];
      const [shown, messages, below, before, after] = await Promise.all(places.map(boxOf));
      expect(below?.y).toBeGreaterThanOrEqual(shown?.foot ?? Number.NaN);
      expect(shown?.x).toBeGreaterThanOrEqual(before?.end ?? Number.NaN);
      expect(Math.abs(middleOf(shown) - middleOf(messages))).toBeLessThan(2);
      expect(shown?.end).toBeLessThanOrEqual(after?.x ?? width);
    }, 20_000);
  }
  // The next takes its place, and says how the change is undone.
  await page.locator('body').press('i');
  await toast.getByText('#2 assigned').waitFor();
  expect(await toast.count()).toBe(1);
  await toast.getByRole('button', { name: 'Undo' }).click();
  await toast.getByText('#2 is back as it was').waitFor();
  expect(await toast.count()).toBe(1);
});

/** Sends a reply in the open ticket. @returns its message */
async function send(page: Page, text: string) {
  await rewrite(page, text);
  const answered = page.waitForResponse((response) => response.url().endsWith('/messages') && response.ok());
  await page.keyboard.press('Control+Enter');
  const { id, ticketId } = await (await answered).json();
  return { messageId: id, ticketId };
}

test('a toast tells that a reply was sent, or could not be, wherever its writer is by then', async () => {
  const { page, complaints } = await openPage();
  desk = await openTicket(page, 'One');
  await ingest(house, desk, [mailOf({ headers: { Subject: 'Two' } })]);
  const told = page.getByRole('status').locator('div');
  const sent = await send(page, 'It is on its way.');
  await rowOf(page, 'Two').click();
  await page.getByRole('heading', { level: 1, name: 'Two' }).waitFor();
  await attempt(sent, { ok: true });
  await told.getByText('Reply in #1 sent').waitFor();

  const failed = await send(page, 'So is this.');
  await pressSequence(page, 'g', 'c');
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
  await attempt(failed, refused);
  await told.getByText('The reply in #2 could not be sent').waitFor();
  await told.getByRole('button', { name: 'Show' }).click();
  await page.getByRole('heading', { level: 1, name: 'Two' }).waitFor();
  expect(complaints).toEqual([]);
});
