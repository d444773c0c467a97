import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Person } from '../factories.ts';
import { useHouse } from '../harness.ts';
import { ingest, mailOf } from '../mails.ts';
import { useWebPages } from '../web-pages.ts';

/** Where the focus is after each overlay, and what keys do there. */

const house = useHouse();
const { openPage, register } = useWebPages(house);

async function openInbox(...subjects: string[]) {
  const opened = await openPage();
  const { workspaceId } = await register(opened.page);
  for (const Subject of subjects) await ingest(house, { workspaceId } as Person, [mailOf({ headers: { Subject } })]);
  await rowOf(opened.page, subjects.at(-1) ?? '').waitFor();
  return { ...opened, workspaceId };
}

const rowOf = (page: Page, subject: string) =>
  page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const hasFocus = async (place: Locator) => (await place.and(place.page().locator(':focus')).count()) === 1;
const isFocused = (page: Page, subject: string) => hasFocus(rowOf(page, subject));
const isWriting = (page: Page) =>
  page.evaluate(`document.activeElement.matches('[data-mode] :is(textarea, [contenteditable])')`);

// By a variable: the types of the page are not those of this test.
const registry = '../../web/src/commands.ts';
const { commands }: { commands: Record<string, { keys: readonly string[] }> } = await import(registry);

/** The commands that open an overlay by a key. */
const opening = ['assign', 'snooze', 'tags', 'priority', 'merge', 'block', 'palette', 'help'].map(
  (id) => [id, (commands[id]?.keys[0] ?? '').replace('$mod+k', 'Control+k')] as const,
);

test('the focus returns to where it was after each overlay', async () => {
  const { page } = await openInbox('Brakes', 'Saddle');
  await rowOf(page, 'Saddle').click();
  await heading(page, 'Saddle').waitFor();
  await rowOf(page, 'Saddle').focus();
  for (const [id, key] of opening) {
    await page.keyboard.press(key);
    await page.getByRole('dialog').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    expect({ id, isFocused: await isFocused(page, 'Saddle') }).toEqual({ id, isFocused: true });
  }
  const priority = page.locator('[data-command="priority"]').first();
  await priority.click();
  await page.getByRole('dialog').getByRole('option', { name: /high/i }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await hasFocus(priority)).toBe(true);
});

test('r and n focus the text box, also when it is open and lost the focus', async () => {
  const { page } = await openInbox('Saddle');
  await rowOf(page, 'Saddle').click();
  await heading(page, 'Saddle').waitFor();
  for (const key of ['r', 'n', 'r']) {
    await page.keyboard.press(key);
    await expect.poll(() => isWriting(page)).toBe(true);
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press(key);
    await expect.poll(() => isWriting(page)).toBe(true);
    await page.evaluate('document.activeElement.blur()');
  }
});

test('a sent answer leaves the focus on the ticket, and its undo brings it to the text', async () => {
  const { page } = await openInbox('Saddle');
  await rowOf(page, 'Saddle').click();
  await heading(page, 'Saddle').waitFor();
  await page.keyboard.press('r');
  await expect.poll(() => isWriting(page)).toBe(true);
  await page.keyboard.type('On its way.');
  await page.keyboard.press('Control+Enter');
  await page.getByText(/Sending in/).waitFor();
  const isInTicket = () =>
    page.evaluate(`document.activeElement !== document.body && document.activeElement.closest('section') !== null`);
  expect(await isInTicket()).toBe(true);
  await page.keyboard.press('z');
  await expect.poll(() => isWriting(page)).toBe(true);
});

test('a key changes the ticket of the focused row, and says so if there is none', async () => {
  const { page, workspaceId } = await openInbox('Brakes', 'Saddle');
  await page.locator('body').press('e');
  await page.getByRole('status').getByText('Open a ticket first.').waitFor();
  await page.locator('body').press('f');
  await rowOf(page, 'Saddle').focus();
  await page.keyboard.press('e');
  await rowOf(page, 'Saddle').waitFor({ state: 'detached' });
  // The row leaves at once, before the service has closed the ticket.
  const closed = async () => {
    const tickets = await page.request.get(`/v1/workspaces/${workspaceId}/tickets?status=closed`, {
      headers: { 'x-workspace-id': workspaceId },
    });
    return (await tickets.json()).map(({ subject }: { subject: string }) => subject);
  };
  await expect.poll(closed).toEqual(['Saddle']);
});
