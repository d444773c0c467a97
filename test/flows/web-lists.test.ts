import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Person } from '../factories.ts';
import { useHouse } from '../harness.ts';
import { ingest, mailOf } from '../mails.ts';
import { useWebPages } from '../web-pages.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

type Workspace = Pick<Person, 'workspaceId'>;

async function writeIn(to: Workspace, ...subjects: string[]): Promise<void> {
  for (const Subject of subjects) await ingest(house, to as Person, [mailOf({ headers: { Subject } })]);
}

const rowOf = (page: Page, subject: string) =>
  page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });

const focusedText = (page: Page) => page.evaluate('document.activeElement.textContent') as Promise<string>;

test('the keyboard selects tickets, changes them together, and keeps its place', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'Oldest', 'Older', 'Newer', 'Newest');
  await rowOf(page, 'Newest').waitFor();
  expect(await page.getByRole('region', { name: 'Tickets', exact: true }).locator('a[tabindex="0"]').count()).toBe(1);
  const { keyboard } = page;
  await keyboard.press('j');
  await expect.poll(() => focusedText(page)).toContain('Newest');
  expect(await rowOf(page, 'Newest').getAttribute('aria-current')).toBe('true');
  await keyboard.press('x');
  await keyboard.press('Shift+J');
  await page.getByText('2 selected').waitFor();
  await expect.poll(() => focusedText(page)).toContain('Newer');
  // The ticket that was open stays open while rows are selected.
  expect(await rowOf(page, 'Newest').getAttribute('aria-current')).toBe('true');
  await keyboard.press('Shift+K');
  await page.getByText('1 selected').waitFor();
  await keyboard.press('Control+a');
  await page.getByText('4 selected').waitFor();
  await keyboard.press('Escape');
  await expect.poll(() => page.getByRole('region', { name: 'Selected tickets' }).count()).toBe(0);
  await keyboard.press('x');
  await keyboard.press('Shift+J');
  await keyboard.press('e');
  await expect.poll(() => rowOf(page, 'Newe').count()).toBe(0);
  // What had the focus is gone, so the row in its place has it.
  await expect.poll(() => focusedText(page)).toContain('Older');
  const place = page.getByRole('listitem').filter({ hasText: 'Oldest' });
  expect(await place.getAttribute('aria-posinset')).toBe('2');
  expect(await place.getAttribute('aria-setsize')).toBe('2');
  expect(complaints).toEqual([]);
});

test('a range is selected by pointer, tagged, and what is refused stays selected with its reason', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'First', 'Second', 'Third');
  await rowOf(page, 'Third').click();
  await rowOf(page, 'First').click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  await page.getByRole('button', { name: 'Tags' }).click();
  await page.getByRole('textbox', { name: 'Add a tag' }).fill('urgent');
  await page.keyboard.press('Enter');
  await expect.poll(() => rowOf(page, 'urgent').count()).toBe(3);
  await page.getByText('3 selected').waitFor({ state: 'detached' });
  // Fifty tags are the most that a ticket has.
  const [ticket] = await (await page.request.get(`${house.url}/v1/workspaces/${owner.workspaceId}/tickets`)).json();
  const tags = Array.from({ length: 50 }, (_, at) => `tag-${at}`);
  const filled = await page.request.patch(`${house.url}/v1/workspaces/${owner.workspaceId}/tickets/${ticket.id}`, {
    data: { tags },
    headers: { origin: house.url },
  });
  expect(filled.status()).toBe(200);
  await rowOf(page, 'Third').getByText('tag-0').waitFor();
  await rowOf(page, 'Second').click();
  await rowOf(page, 'Third').click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Tags' }).click();
  await page.getByRole('textbox', { name: 'Add a tag' }).fill('one more');
  await page.keyboard.press('Enter');
  await page.getByText('1 changed, 1 refused').waitFor();
  await page.getByText('1 selected').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('#3:');
});
