import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { pressSequence, rowOf } from '../../pages/web-pages.ts';
import { rewrite, useWritingPages } from '../../pages/writing-pages.ts';
import { deliveryDesk, refused } from '../../worlds/delivery-desk.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, openTicket } = useWritingPages(house);
let desk: Person;
const { attempt } = deliveryDesk(house, () => desk);

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
  await told.getByText('Email in #1 sent').waitFor();

  const failed = await send(page, 'So is this.');
  await pressSequence(page, 'g', 'c');
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
  await attempt(failed, refused);
  await told.getByText('The email in #2 could not be sent').waitFor();
  await told.getByRole('button', { name: 'Show' }).click();
  await page.getByRole('heading', { level: 1, name: 'Two' }).waitFor();
  expect(complaints).toEqual([]);
});
