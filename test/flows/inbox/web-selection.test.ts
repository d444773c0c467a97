import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { rowOf, useWebPages } from '../../pages/web-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { writeSubjects } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);
const writeIn = (to: Pick<Person, 'workspaceId'>, ...subjects: string[]) => writeSubjects(house, to, ...subjects);

/** The text of the focused row. The body has the focus when nothing else has it, and contains every text. */
const focusedText = (page: Page) => page.evaluate("document.querySelector('a:focus')?.textContent") as Promise<string>;

/** Gives the selected tickets a tag, by the picker of the bulk bar. */
async function chooseTag(page: Page, tag: string): Promise<void> {
  await page.getByRole('button', { name: 'Change the tags' }).last().click();
  await page.getByRole('dialog').getByRole('combobox').fill(tag);
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
}

test('the keyboard selects tickets, changes them together, and keeps the focus in place', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'Oldest', 'Older', 'Newer', 'Newest');
  await rowOf(page, 'Newest').waitFor();
  expect(await page.getByRole('region', { name: 'Tickets', exact: true }).locator('a[tabindex="0"]').count()).toBe(1);
  const { keyboard } = page;
  await keyboard.press('j');
  await expect.poll(() => focusedText(page)).toContain('Newest');
  await expect.poll(() => rowOf(page, 'Newest').getAttribute('aria-current')).toBe('true');
  await keyboard.press('x');
  await keyboard.press('Shift+J');
  await page.getByText('2 selected').waitFor();
  await expect.poll(() => focusedText(page)).toContain('Newer');
  // The open ticket stays open while rows are selected.
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
  // The focused row is gone, so the row in its place gets the focus.
  await expect.poll(() => focusedText(page)).toContain('Older');
  const place = page.locator('[data-ticket]').filter({ hasText: 'Oldest' });
  await expect.poll(() => place.getAttribute('aria-posinset')).toBe('2');
  await expect.poll(() => place.getAttribute('aria-setsize')).toBe('2');
  expect(complaints).toEqual([]);
});

test('a range is selected by pointer and tagged, and refused tickets stay selected with the reason', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'First', 'Second', 'Third');
  await page.getByRole('region', { name: 'Getting started' }).waitFor();
  // A row that comes later would move the other rows.
  for (const subject of ['First', 'Second', 'Third']) await rowOf(page, subject).waitFor();
  const place = await rowOf(page, 'First').boundingBox();
  await rowOf(page, 'Third').click();
  await rowOf(page, 'First').click({ modifiers: ['Shift'] });
  await page.getByText('3 selected').waitFor();
  // A second click meets the row under the pointer.
  expect(await rowOf(page, 'First').boundingBox()).toEqual(place);
  await chooseTag(page, 'urgent');
  await expect.poll(() => rowOf(page, 'urgent').count()).toBe(3);
  // The picker stays open for another tag, and the same tickets get it.
  await page.keyboard.type('spring');
  await page.keyboard.press('Enter');
  await expect.poll(() => rowOf(page, 'spring').count()).toBe(3);
  await page.keyboard.press('Escape');
  await page.getByText('3 selected').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('3 selected').waitFor({ state: 'detached' });
  // A ticket has at most fifty tags.
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
  await chooseTag(page, 'one more');
  await page.keyboard.press('Escape');
  await page.getByText('1 changed, 1 refused').waitFor();
  await page.getByText('1 selected').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('#3:');
});

test('a late answer leaves a selection alone that was made since, and its refusals are told', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'First', 'Second', 'Third');
  for (const subject of ['First', 'Second', 'Third']) await rowOf(page, subject).waitFor();
  const [{ id }] = (await owner.call('GET', '/tickets?search=First')).body;
  const tags = Array.from({ length: 50 }, (_, at) => `tag-${at}`);
  expect((await owner.call('PATCH', `/tickets/${id}`, { tags })).status).toBe(200);
  await rowOf(page, 'First').getByText('tag-0').waitFor();
  const release = Promise.withResolvers<void>();
  await page.route(/\/tickets\/bulk/, async (route) => {
    await release.promise;
    await route.continue();
  });
  await page.keyboard.press('Control+a');
  await chooseTag(page, 'one more');
  await rowOf(page, 'Second').getByText('one more').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.getByText('3 selected').waitFor({ state: 'detached' });
  await rowOf(page, 'Second').click();
  await page.keyboard.press('x');
  await page.getByText('1 selected').waitFor();
  release.resolve();
  await page.getByText(/2 tickets changed, others not. #1:/).waitFor();
  await page.getByText('1 selected').waitFor();
});

test('the pickers of the bulk bar open at their buttons and change all selected tickets, by keys alone', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'First', 'Second', 'Third');
  await rowOf(page, 'Third').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('Shift+J');
  const bar = page.getByRole('region', { name: 'Selected tickets' });
  const assign = bar.getByRole('button', { name: 'Assign' });
  await assign.press('Enter');
  const picker = page.getByRole('dialog', { name: 'Assign: 2 tickets' });
  await picker.getByRole('option', { name: 'Unassigned' }).waitFor();
  const [button, box] = [await assign.boundingBox(), await picker.boundingBox()];
  // Within 5 px, while it grows to its size.
  expect(box?.x).toBeCloseTo(button?.x ?? 0, -1);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0);
  await page.keyboard.type('me');
  await page.keyboard.press('Enter');
  await expect.poll(() => rowOf(page, 'Assignee: Ada').count()).toBe(2);
  await page.getByText('2 selected').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+a');
  await page.getByText('3 selected').waitFor();
  await bar.getByRole('button', { name: 'Change the status' }).press('Enter');
  await page.getByRole('option', { name: 'Closed' }).waitFor();
  await page.keyboard.type('closed');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('[data-ticket]').count()).toBe(0);
});
