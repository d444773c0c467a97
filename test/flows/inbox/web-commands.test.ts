import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { useWebPages } from '../../pages/web-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

/** Opens a page with these tickets, the last one on top. */
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
const toast = (page: Page, text: string | RegExp) => page.getByRole('status').getByText(text);

/** Opens a picker by its key. */
async function pick(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key);
  await page.getByRole('dialog').getByRole('combobox').waitFor();
}

/** The ticket in the service. */
async function ticketAt(page: Page, workspaceId: string, number: number) {
  const answer = await page.request.get(`/v1/workspaces/${workspaceId}/tickets/number/${number}`, {
    headers: { 'x-workspace-id': workspaceId },
  });
  return answer.json();
}

test('no effect of a key waits for the network, and z undoes it', async () => {
  const { page, workspaceId } = await openInbox('First', 'Second', 'Third');
  await page.keyboard.press('j');
  await heading(page, 'Third').waitFor();
  const { version } = await ticketAt(page, workspaceId, 3);
  const told: string[] = [];
  const network = Promise.withResolvers<void>();
  await page.route(/\/v1\//, async (route) => {
    told.push(new URL(route.request().url()).pathname);
    await network.promise;
    await route.continue();
  });
  await page.keyboard.press('e');
  await rowOf(page, 'Third').waitFor({ state: 'detached' });
  await page.waitForURL('**/t/2*');
  await toast(page, '#3 closed').waitFor();
  await page.keyboard.press('z');
  await rowOf(page, 'Third').waitFor();
  // The service has received the request, and has not answered yet.
  await expect.poll(() => told.filter((path) => path.endsWith('/status'))).toHaveLength(1);
  network.resolve();
  await expect.poll(async () => (await ticketAt(page, workspaceId, 3)).version).toBe(version + 2);
  expect((await ticketAt(page, workspaceId, 3)).status).toBe('open');
});

test('a ticket is snoozed, tagged and merged by words, and each change can be undone', async () => {
  const { page, workspaceId } = await openInbox('One', 'Two');
  await page.keyboard.press('j');
  await heading(page, 'Two').waitFor();
  await pick(page, 't');
  await page.keyboard.type('urgent');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await ticketAt(page, workspaceId, 2)).tags).toEqual(['urgent']);
  await pick(page, 'm');
  await page.getByRole('option', { name: /#1 One/ }).click();
  await page.getByRole('button', { name: 'Merge into #1' }).click();
  await rowOf(page, 'Two').waitFor({ state: 'detached' });
  await expect.poll(async () => (await ticketAt(page, workspaceId, 1)).messageCount).toBe(2);
  await heading(page, 'One').waitFor();
  await pick(page, 'h');
  await page.keyboard.type('in 3 weeks');
  await page.keyboard.press('Enter');
  await rowOf(page, 'One').waitFor({ state: 'detached' });
  await expect.poll(async () => (await ticketAt(page, workspaceId, 1)).snoozedUntil).not.toBeNull();
  for (let level = 0; level < 3; level += 1) await page.keyboard.press('z');
  await rowOf(page, 'One').waitFor();
  await rowOf(page, 'Two').waitFor();
  await expect
    .poll(async () => {
      const [one, two] = [await ticketAt(page, workspaceId, 1), await ticketAt(page, workspaceId, 2)];
      return [one.snoozedUntil, one.messageCount, two.mergedIntoId, two.tags];
    })
    .toEqual([null, 1, null, []]);
});

test('without a network changes wait, the banner counts them, and they are sent once it is back', async () => {
  const { page, workspaceId } = await openInbox('One', 'Two');
  await page.keyboard.press('j');
  await heading(page, 'Two').waitFor();
  await page.context().setOffline(true);
  await page.keyboard.press('e');
  await rowOf(page, 'Two').waitFor({ state: 'detached' });
  await page.keyboard.press('i');
  await page.getByText(/2 changes are waiting/).waitFor();
  await page.context().setOffline(false);
  await page.getByText(/changes are waiting/).waitFor({ state: 'detached' });
  await expect.poll(async () => (await ticketAt(page, workspaceId, 2)).status).toBe('closed');
  await expect.poll(async () => (await ticketAt(page, workspaceId, 1)).assigneeId).not.toBeNull();
});
