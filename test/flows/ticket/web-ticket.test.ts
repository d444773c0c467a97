import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { isFocused, steady, useWebPages } from '../../pages/web-pages.ts';
import { startWriting, textOf } from '../../pages/writing-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register, elsewhere } = useWebPages(house);

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
const ticketPane = (page: Page) => page.getByRole('region', { name: 'Ticket', exact: true });

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

test('j and k show the neighbours of the open ticket without an answer of the service', async () => {
  const subjects = ['One', 'Two', 'Three', 'Four', 'Five'];
  const { page, complaints } = await openInbox(...subjects);
  const shows = async (subject: string) => {
    await heading(page, subject).waitFor();
    await ticketPane(page).getByText(`About ${subject}.`).waitFor();
  };
  const warmed = [3, 4].map((number) => page.waitForResponse(`**/tickets/number/${number}?*`));
  await page.goto('/t/5');
  await Promise.all(warmed);
  await shows('Five');
  const { asked, release } = await holdNetwork(page);
  await page.keyboard.press('j');
  await shows('Four');
  await page.keyboard.press('j');
  await shows('Three');
  await page.keyboard.press('k');
  await shows('Four');
  const ahead = () => asked.filter((path) => /\/tickets\/number\/2($|\?)/.test(path));
  await expect.poll(ahead).toHaveLength(1);
  // Back at the top, the ticket below is no longer a neighbour.
  const cancelled = page.waitForEvent('requestfailed', (request) => request.url().includes('/tickets/number/2?'));
  await page.keyboard.press('k');
  await shows('Five');
  await cancelled;
  release();
  expect(complaints).toEqual([]);
});

test('keys pressed before a ticket loads change it afterwards, and typed text triggers no commands', async () => {
  // A computer that has seen these tickets caches them.
  const page = await elsewhere((await openInbox('Below', 'Above')).page);
  const { asked, release } = await holdNetwork(page, /\/tickets(\/number\/2)?\?/);
  await page.goto('/t/2');
  await ticketPane(page).getByText('Loading').waitFor();
  await expect.poll(() => asked.some((path) => path.endsWith('/tickets/number/2'))).toBe(true);
  await page.keyboard.press('i');
  // The composer is requested first, so the next keys are text and not the commands s p, h and y.
  await page.keyboard.press('r');
  await page.keyboard.type('sphy');
  release();
  await page.getByRole('button', { name: 'Assignee: Ada' }).waitFor();
  await textOf(page).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await ticketPane(page).getByRole('button', { name: 'Status Open', exact: true }).count()).toBe(1);
});

test('e closes a ticket that has not loaded yet', async () => {
  // A computer that has seen these tickets caches them.
  const page = await elsewhere((await openInbox('Below', 'Above')).page);
  const { asked, release } = await holdNetwork(page, /\/tickets(\/number\/2)?\?/);
  await page.goto('/t/2');
  await ticketPane(page).getByText('Loading').waitFor();
  await expect.poll(() => asked.some((path) => path.endsWith('/tickets/number/2'))).toBe(true);
  await page.keyboard.press('e');
  release();
  await page.getByRole('status').getByText('#2 closed').waitFor();
  await rowOf(page, 'Below').waitFor();
  await rowOf(page, 'Above').waitFor({ state: 'detached' });
});

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

test('an undone answer is a quiet line, and its text is shown on demand', async () => {
  const { page } = await openInbox('Hello');
  await rowOf(page, 'Hello').click();
  await startWriting(page);
  await textOf(page).fill('An answer too soon.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('button', { name: 'Undo' }).first().waitFor();
  // The focus has left the text, so that single keys are commands.
  await page.keyboard.press('z');
  await expect.poll(() => textOf(page).textContent()).toBe('An answer too soon.');
  await ticketPane(page).getByText('Undone before sending · Ada').waitFor();
  expect(await page.getByRole('article', { name: 'Message from Ada' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Show the text' }).click();
  await page.getByRole('article', { name: 'Message from Ada' }).getByText('An answer too soon.').waitFor();
  await house.drain();
  expect((await house.outbox()).filter((mail) => mail.includes('An answer too soon.'))).toEqual([]);
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
