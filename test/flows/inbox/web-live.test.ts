import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { useWebPages } from '../../pages/web-pages.ts';
import { barOf, startWriting } from '../../pages/writing-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register, elsewhere } = useWebPages(house);

const writeIn = (workspaceId: string, Subject: string) =>
  ingest(house, { workspaceId } as Person, [mailOf({ headers: { Subject } })]);
const row = (page: Page, subject: string) =>
  page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });

test('the tabs of a browser share one stream, and the next tab continues it', async () => {
  const { page: first, asked } = await openPage();
  const { workspaceId } = await register(first);
  const second = await first.context().newPage();
  const askedBySecond: string[] = [];
  second.on('request', (request) => askedBySecond.push(request.url()));
  await second.goto('/');
  await second.getByText('No tickets here.').waitFor();
  await writeIn(workspaceId, 'For both');
  await row(first, 'For both').waitFor();
  await row(second, 'For both').waitFor();
  const isStream = (url: string) => url.includes('/events/stream');
  expect([asked.filter(isStream).length, askedBySecond.filter(isStream).length]).toEqual([1, 0]);
  await first.close();
  await writeIn(workspaceId, 'Between two tabs');
  await row(second, 'Between two tabs').waitFor();
  expect(askedBySecond.filter(isStream)).toEqual([expect.stringContaining('lastEventId=')]);
});

test('a refused stream is reported quietly and reopened, and missed changes appear', async () => {
  const { page } = await openPage();
  const stream = /\/events\/stream/;
  await page.route(stream, (route) => route.fulfill({ status: 503 }));
  const { workspaceId } = await register(page);
  await page.getByText(/Live updates are interrupted/).waitFor();
  await page.unroute(stream);
  await page.getByText(/Live updates are interrupted/).waitFor({ state: 'detached' });
  await writeIn(workspaceId, 'Here again');
  await row(page, 'Here again').waitFor();
});

test('a ticket that arrives between the first list and the stream is shown', async () => {
  const { page } = await openPage();
  const listed = Promise.withResolvers<void>();
  await page.route(/\/events\/stream/, async (route) => {
    await listed.promise;
    await route.continue();
  });
  const { workspaceId } = await register(page);
  await page.getByText('No tickets here.').waitFor();
  await writeIn(workspaceId, 'In between');
  listed.resolve();
  await row(page, 'In between').waitFor();
});

test('a row that a new ticket moves while the mouse button is pressed still gets its click', async () => {
  const { page } = await openPage();
  const { workspaceId } = await register(page);
  await writeIn(workspaceId, 'Pressed');
  await row(page, 'Pressed').hover();
  await page.mouse.down();
  const told = page.waitForResponse(/\/counts/);
  await writeIn(workspaceId, 'Above it');
  await told;
  await page.mouse.up();
  await page.getByRole('heading', { name: 'Pressed' }).waitFor();
  await row(page, 'Above it').waitFor();
});

test('mail of a customer makes a row unread, and reading it on another computer makes it read', async () => {
  const { page } = await openPage();
  const { workspaceId } = await register(page);
  await writeIn(workspaceId, 'Other');
  await row(page, 'Other').click();
  await barOf(page).waitFor();
  await writeIn(workspaceId, 'New');
  const unread = page.locator('[data-unread="true"]').filter({ hasText: 'New' });
  await unread.waitFor();
  const other = await elsewhere(page);
  await other.goto('/');
  await row(other, 'New').click();
  await barOf(other).waitFor();
  await unread.waitFor({ state: 'detached' });
  expect(await page.locator('[data-unread="false"]').filter({ hasText: 'New' }).count()).toBe(1);
});

test('a new version of the service is offered, and reloading keeps the text being written', async () => {
  const { page } = await openPage();
  const { workspaceId } = await register(page);
  await writeIn(workspaceId, 'Busy');
  await row(page, 'Busy').click();
  const text = page.getByRole('textbox', { name: 'Text' });
  await barOf(page).waitFor();
  const reload = page.getByRole('button', { name: 'Reload' });
  expect(await reload.count()).toBe(0);
  await page.route(/\/v1\/(?!.*\/events\/stream)/, async (route) => {
    // Keeps the text from the service.
    if (route.request().method() === 'PUT') return route.abort();
    const response = await route.fetch();
    return route.fulfill({ response, headers: { ...response.headers(), 'x-kontor-version': '99.0.0' } });
  });
  await startWriting(page);
  await text.fill('Have you tried');
  // The event makes the page read again, and the answers are from the new version.
  await writeIn(workspaceId, 'Another');
  await page.getByText('There is a new version of Kontor.').waitFor();
  await reload.click();
  await reload.waitFor({ state: 'detached' });
  await expect.poll(() => text.textContent()).toBe('Have you tried');
  expect(await reload.count()).toBe(0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a missing part of an older version is reported, and the text survives the new page', async () => {
  const { page } = await openPage();
  const { workspaceId } = await register(page);
  await writeIn(workspaceId, 'Busy');
  await row(page, 'Busy').waitFor();
  // A page from before an update lacks what it has not loaded yet, such as the editor and the pickers.
  await page.route(/\/assets\/(?:RichText|OverlayHost)-[\w-]{8}\.js$/, (route) => route.fulfill({ status: 404 }));
  await page.goto('/t/1');
  const text = page.getByRole('textbox', { name: 'Text' });
  await startWriting(page);
  await text.fill('Have you tried');
  await page.getByText('A part of this page could not be loaded.').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  // Keys work again once the page knows that the picker is missing.
  const isWriting = () => page.evaluate('document.activeElement.matches("textarea")');
  const write = async () => {
    if (!(await isWriting())) await page.keyboard.press('r');
    return isWriting();
  };
  await expect.poll(write).toBe(true);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  await expect.poll(() => text.textContent()).toContain('Have you tried');
  expect(await page.getByRole('button', { name: 'Reload' }).count()).toBe(0);
});
