import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { chooseOwn, useWebPages } from '../../pages/web-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';
import { putMailbox } from '../../worlds/put-mailbox.ts';

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

/** The palette words these commands otherwise, or offers them only when there is something to do. */
const elsewhere = [
  ...['Command menu', 'Undo the merge', 'Delete for good', 'Add people in Cc', 'Reply with a saved reply'],
  ...['Discard draft', 'Reopen', 'Archive or unarchive', 'Move to the trash or restore', 'Mark as spam or not spam'],
];

test('each command can be clicked, and the palette finds commands, tickets and people', async () => {
  const { page, workspaceId, complaints } = await openInbox('Brakes', 'Saddle');
  const mailbox = { provider: 'mail-b', address: 'help@office.example', refreshToken: 'token' } as const;
  await putMailbox(house, { workspaceId, ...mailbox });
  await page.reload();
  await rowOf(page, 'Saddle').click();
  await heading(page, 'Saddle').waitFor();
  await page.keyboard.press('Shift+?');
  const search = page.getByRole('searchbox', { name: 'Search shortcuts' });
  await search.waitFor();
  const clickable = await page.locator('dialog div:not([data-movement]) > dt').allTextContents();
  expect(clickable).toContain('Merge with another ticket');
  await search.fill('merge');
  await expect
    .poll(() => page.locator('dialog dt').allTextContents())
    .toEqual(['Merge with another ticket', 'Undo the merge']);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await chooseOwn(page, 'Command menu');
  const items = page.getByRole('dialog').getByRole('option');
  await items.first().waitFor();
  const offered = await items.locator('[data-words]').allTextContents();
  expect(
    clickable.filter((words) => !/view \d/.test(words) && !elsewhere.includes(words) && !offered.includes(words)),
  ).toEqual([]);
  expect(offered).toEqual(expect.arrayContaining(['Archive', 'Move to the trash', 'Mark as spam']));
  await page.keyboard.type('assign');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /^Assign: #2/ }).waitFor();
  await page.keyboard.type('me');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Assignee: Ada' }).waitFor();
  await pick(page, 'Control+k');
  await page.keyboard.type('#1');
  await page.keyboard.press('Enter');
  await heading(page, 'Brakes').waitFor();
  await page.waitForURL('**/t/1*');
  expect(complaints).toEqual([]);
});

test('a command whose key follows Escape at once is not lost', async () => {
  const { page } = await openInbox('Brakes');
  await page.keyboard.press('j');
  await heading(page, 'Brakes').waitFor();
  for (let round = 0; round < 10; round++) {
    await pick(page, 'm');
    await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Control+k')]);
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await Promise.all([page.keyboard.press('Escape'), pick(page, 't')]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
});

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

test('a refused change is reverted with its reason, and a colleague who was faster is named', async () => {
  const { page, workspaceId } = await openInbox('Refused');
  await page.route(/\/status$/, (route) =>
    route.fulfill({
      status: 403,
      json: { key: 'auth.forbidden', params: {}, fallbackMessage: 'You may not do that.' },
    }),
  );
  await page.keyboard.press('j');
  await page.keyboard.press('e');
  await toast(page, '#1: You may not do that.').waitFor();
  await rowOf(page, 'Refused').waitFor();
  await page.unroute(/\/status$/);
  // A colleague is faster, and the stream does not report it in time.
  await page.route(/\/status$/, async (route) => {
    const { id } = await ticketAt(page, workspaceId, 1);
    await page.request.post(`/v1/workspaces/${workspaceId}/tickets/${id}/status`, {
      headers: { 'x-workspace-id': workspaceId, origin: house.url },
      data: { toStatus: 'pending' },
    });
    await route.continue();
  });
  await rowOf(page, 'Refused').click();
  await page.keyboard.press('e');
  await toast(page, /Ada has changed #1/).waitFor();
});

test('a refusal among the results of a bulk change takes back what the page said', async () => {
  const { page, workspaceId } = await openInbox('Full');
  const { id } = await ticketAt(page, workspaceId, 1);
  const tags = Array.from({ length: 50 }, (_, at) => `tag${at}`);
  await page.request.patch(`/v1/workspaces/${workspaceId}/tickets/${id}`, {
    headers: { 'x-workspace-id': workspaceId, origin: house.url },
    data: { tags },
  });
  await rowOf(page, 'Full').click();
  await heading(page, 'Full').waitFor();
  await pick(page, 't');
  await page.keyboard.type('one more');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await toast(page, /^#1: .*tags/).waitFor();
  await toast(page, /#1 tagged/).waitFor({ state: 'detached' });
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
