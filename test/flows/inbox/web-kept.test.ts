import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { chooseOwn, useWebPages } from '../../pages/web-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

const row = (page: Page, subject: string) =>
  page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });

/** The browser's entries whose keys begin so, as text. */
const keptUnder = (page: Page, prefix: string) =>
  page.evaluate(`indexedDB.databases().then((all) => new Promise((resolve) => {
    // Opening the database would create it, before the page could create its own.
    if (!all.some(({ name }) => name === 'kontor')) return resolve('[]');
    const opened = indexedDB.open('kontor');
    opened.onsuccess = () => {
      const range = IDBKeyRange.bound('${prefix}', '${prefix}\\uffff');
      const read = opened.result.transaction('kept').objectStore('kept').getAll(range);
      read.onsuccess = () => { opened.result.close(); resolve(JSON.stringify(read.result)); };
    };
  }))`) as Promise<string>;

async function openInbox(...subjects: string[]) {
  const { page } = await openPage();
  const { workspaceId } = await register(page);
  for (const Subject of subjects) await ingest(house, { workspaceId } as Person, [mailOf({ headers: { Subject } })]);
  await row(page, subjects.at(-1) ?? '').waitFor();
  return { page, workspaceId };
}

test('the next visit shows list and ticket before the service answers, and a sign-out leaves nothing', async () => {
  const { page } = await openInbox('Kept');
  await row(page, 'Kept').click();
  await page.getByRole('article').first().waitFor();
  await expect.poll(() => keptUnder(page, 'pages')).toContain('"messages"');
  const network = Promise.withResolvers<void>();
  await page.route(/\/v1\//, async (route) => {
    await network.promise;
    await route.continue();
  });
  await page.reload();
  await row(page, 'Kept').waitFor();
  await page.getByRole('heading', { name: 'Kept' }).waitFor();
  network.resolve();
  await chooseOwn(page, 'Sign out');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(await keptUnder(page, '')).toBe('[]');
});

test('a session that has ended leaves no tickets in the browser', async () => {
  const { page } = await openInbox('Kept');
  await expect.poll(() => keptUnder(page, 'pages')).toContain('Kept');
  await page.context().clearCookies();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await expect.poll(() => keptUnder(page, 'pages')).toBe('[]');
});

test('the next page sends a change that this one could not send', async () => {
  const { page, workspaceId } = await openInbox('Old', 'New');
  await page.route(/\/status$/, (route) => route.abort());
  await row(page, 'New').click();
  await page.keyboard.press('e');
  await row(page, 'New').waitFor({ state: 'detached' });
  await expect.poll(() => keptUnder(page, 'change')).toContain('closed');
  await page.unroute(/\/status$/);
  await page.goto('/');
  await row(page, 'Old').waitFor();
  await expect.poll(() => keptUnder(page, 'change')).toBe('[]');
  const answer = await page.request.get(`/v1/workspaces/${workspaceId}/tickets/number/2`, {
    headers: { 'x-workspace-id': workspaceId },
  });
  expect((await answer.json()).status).toBe('closed');
});

test('an open page sends the changes of another page as soon as that has ended', async () => {
  const { page, workspaceId } = await openInbox('Old', 'New');
  await page.route(/\/status$/, (route) => route.abort());
  await row(page, 'New').click();
  await page.keyboard.press('e');
  await expect.poll(() => keptUnder(page, 'change')).toContain('closed');
  // It begins while the first page lives, as the next page of a tab may.
  const other = await page.context().newPage();
  await other.goto('/');
  await row(other, 'Old').waitFor();
  const waits = `navigator.locks.query()
    .then(({ pending }) => pending.some(({ name }) => name.startsWith('kontor.tab')))`;
  await expect.poll(() => other.evaluate(waits)).toBe(true);
  await page.close();
  const status = async () => {
    const answer = await other.request.get(`/v1/workspaces/${workspaceId}/tickets/number/2`);
    return (await answer.json()).status;
  };
  await expect.poll(status).toBe('closed');
});

test('an open page sends the changes of a closed one as soon as the network is back', async () => {
  const { page, workspaceId } = await openInbox('Old', 'New');
  const other = await page.context().newPage();
  await other.goto('/');
  await row(other, 'New').waitFor();
  await page.bringToFront();
  await row(page, 'New').click();
  await page.getByRole('heading', { name: 'New' }).waitFor();
  await page.context().setOffline(true);
  await page.keyboard.press('e');
  await expect.poll(() => keptUnder(page, 'change')).toContain('closed');
  await page.close();
  await other.bringToFront();
  await other.context().setOffline(false);
  const status = async () => {
    const answer = await other.request.get(`/v1/workspaces/${workspaceId}/tickets/number/2`);
    return (await answer.json()).status;
  };
  await expect.poll(status).toBe('closed');
  await row(other, 'New').waitFor({ state: 'detached' });
});
