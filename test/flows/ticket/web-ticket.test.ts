import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { isFocused, steady, useWebPages } from '../../pages/web-pages.ts';
import { startWriting, textOf } from '../../pages/writing-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

/** Opens a page with these tickets, the last one on top. */
async function openInbox(...subjects: string[]) {
  const opened = await openPage();
  const { workspaceId } = await register(opened.page);
  for (const Subject of subjects)
    await ingest(house, { workspaceId } as Person, [mailOf({ headers: { Subject }, body: `About ${Subject}.` })]);
  await rowOf(opened.page, subjects.at(-1) ?? '').waitFor();
  return { ...opened, workspaceId };
}

const rowOf = (page: Page, subject: string) =>
  page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

/**
 * Holds back the answers to requests from now on. @returns the requested paths, and a function that releases the
 * answers
 */
async function holdNetwork(page: Page, addresses = /\/v1\//) {
  const asked: string[] = [];
  const network = Promise.withResolvers<void>();
  await page.route(addresses, async (route) => {
    asked.push(new URL(route.request().url()).pathname);
    await network.promise;
    // A request that was cancelled meanwhile cannot continue.
    await route.continue().catch(() => undefined);
  });
  return { asked, release: network.resolve };
}

test('arrow keys, pages and the space bar scroll the ticket that has the focus', async () => {
  const { page, workspaceId, complaints } = await openInbox('Next', 'Short');
  const lines = Array.from({ length: 120 }, (_, at) => `<p>Line ${at}</p>`).join('');
  const headers = { Subject: 'Long', 'Content-Type': 'text/html; charset=utf-8' };
  await ingest(house, { workspaceId } as Person, [mailOf({ headers, body: lines })]);
  await rowOf(page, 'Long').click();
  const frame = page.frameLocator('iframe:not([hidden])');
  await frame.getByText('Line 119').waitFor();
  const messages = page.getByRole('group', { name: 'Messages' });
  const top = () => messages.evaluate((element: any) => Number(element.scrollTop));
  await page.keyboard.press('Enter');
  await expect.poll(() => isFocused(messages)).toBe(true);
  await page.keyboard.press('Home');
  await expect.poll(top).toBe(0);
  let before = 0;
  for (const key of ['ArrowDown', 'PageDown', 'Space']) {
    await page.keyboard.press(key);
    await expect.poll(top).toBeGreaterThan(before);
    before = await steady(page, top);
  }
  await page.keyboard.press('PageUp');
  await expect.poll(top).toBeLessThan(before);
  // The text of a mail is a page of its own.
  await frame.getByText('Line 30').click();
  before = await steady(page, top);
  await page.keyboard.press('ArrowUp');
  await expect.poll(top).toBeLessThan(before);
  expect(new URL(page.url()).pathname).toBe('/t/3');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowDown');
  await heading(page, 'Short').waitFor();
  expect(complaints).toEqual([]);
});

test('z undoes an answer that is still waiting, and reopens the ticket that it closed', async () => {
  const { page, workspaceId } = await openInbox('Hello');
  await rowOf(page, 'Hello').click();
  await startWriting(page);
  await textOf(page).fill('An answer too soon.');
  const { asked, release } = await holdNetwork(page, /\/messages$/);
  await page.keyboard.press('Control+Shift+Enter');
  await expect.poll(() => asked).toHaveLength(1);
  await page.getByRole('status').getByText('Reply in #1 will be sent in 60 s').waitFor();
  await page.keyboard.press('z');
  const cancelled = page.waitForResponse((response) => response.url().endsWith('/cancel') && response.ok());
  release();
  await cancelled;
  await expect.poll(() => textOf(page).textContent()).toBe('An answer too soon.');
  const headers = { 'x-workspace-id': workspaceId };
  const ticket = await (await page.request.get(`/v1/workspaces/${workspaceId}/tickets/number/1`, { headers })).json();
  expect([ticket.status, ticket.messages.at(-1).delivery.status]).toEqual(['open', 'cancelled']);
});
