import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, useWebPages } from '../../pages/web-pages.ts';
import { makeMember } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

const starts = (page: Page) => page.getByRole('group', { name: 'Starts as' });

test('a new ticket starts with the status, assignee and tags that its card shows', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await page.keyboard.press('c');
  await page.getByRole('button', { name: 'Internal' }).click();
  await page.getByLabel('Subject').fill('Recall of the rack');
  await page.getByRole('textbox', { name: 'Text' }).fill('All of 2025.');
  const dialog = page.getByRole('dialog');
  await starts(page).getByRole('button', { name: 'Status Open' }).press('Enter');
  await dialog.getByRole('option', { name: 'Waiting on customer' }).waitFor();
  await page.keyboard.type('waiting');
  await page.keyboard.press('Enter');
  await starts(page).getByRole('button', { name: 'Status Waiting on customer' }).waitFor();
  await starts(page).getByRole('button', { name: 'Assignee Unassigned' }).click();
  await page.keyboard.type('me');
  await page.keyboard.press('Enter');
  await starts(page).getByRole('button', { name: 'Assignee Ada' }).waitFor();
  await starts(page).getByRole('button', { name: /^Tags/ }).click();
  // The picker of tags stays open, and knows what was chosen in it.
  for (const tag of ['safety', 'rack', 'safety']) {
    await page.keyboard.type(tag);
    await dialog.getByRole('option', { name: new RegExp(tag) }).waitFor();
    await page.keyboard.press('Enter');
  }
  await page.keyboard.press('Escape');
  await starts(page).getByText('rack', { exact: true }).waitFor();
  expect(await starts(page).getByText('safety', { exact: true }).count()).toBe(0);
  expect(await axeFaults(page)).toEqual([]);
  // The draft keeps the choices.
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.reload();
  await starts(page).getByText('rack', { exact: true }).waitFor();
  await starts(page).getByRole('button', { name: 'Status Waiting on customer' }).waitFor();
  await starts(page).getByRole('button', { name: 'Assignee Ada' }).waitFor();
  await page.getByRole('button', { name: 'Internal' }).click();
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByRole('heading', { name: 'Recall of the rack', exact: true }).waitFor();
  const made = async () => (await owner.call('GET', '/tickets/number/1')).body;
  await expect.poll(async () => (await made()).status).toBe('pending');
  expect(await made()).toMatchObject({ assigneeId: owner.userId, tags: ['rack'] });
  // The next one starts anew.
  await page.keyboard.press('c');
  await starts(page).getByRole('button', { name: 'Assignee Unassigned' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a contact’s page begins a ticket to them, and a draft of another text stays as it is', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await ingest(house, owner, [mailOf({ headers: { From: 'Jo Doe <jo@example.org>', Subject: 'Brakes' } })]);
  const [{ id }] = (await owner.call('GET', '/contacts?search=jo@')).body;
  await page.goto(`/c/${id}`);
  await page.getByRole('link', { name: 'New ticket' }).click();
  await page.getByRole('heading', { name: 'New ticket' }).waitFor();
  const recipient = page.getByText('jo@example.org', { exact: true }).or(page.getByText('Jo Doe', { exact: true }));
  await recipient.first().waitFor();
  await page.getByText('This person has 1 open ticket. Perhaps this belongs there:').waitFor();
  await page.getByRole('button', { name: /^Remove jo@/ }).click();
  await page.getByLabel('Subject').fill('A call');
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.goto(`/c/${id}`);
  await page.getByRole('link', { name: 'New ticket' }).click();
  await page.getByText('This is your draft of another ticket.').waitFor();
  expect(await page.getByLabel('Subject').inputValue()).toBe('A call');
  expect(await page.getByRole('button', { name: /^Remove / }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('a new ticket whose assignee has left the workspace starts without one', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  const max = await makeMember(house, owner.workspaceId, 'agent', 'Max');
  await page.reload();
  await page.getByRole('region', { name: 'Tickets', exact: true }).waitFor();
  await page.keyboard.press('c');
  await page.getByRole('button', { name: 'Internal' }).click();
  await page.getByLabel('Subject').fill('Recall of the rack');
  await page.getByRole('textbox', { name: 'Text' }).fill('All of 2025.');
  await starts(page).getByRole('button', { name: 'Assignee Unassigned' }).click();
  await page.getByRole('dialog').getByRole('option', { name: /Max/ }).click();
  await starts(page).getByRole('button', { name: 'Assignee Max' }).waitFor();
  await owner.call('DELETE', `/members/${max.userId}`);
  await starts(page).getByRole('button', { name: 'Assignee Unassigned' }).waitFor();
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.getByRole('heading', { name: 'Recall of the rack', exact: true }).waitFor();
  expect((await owner.call('GET', '/tickets/number/1')).body.assigneeId).toBeNull();
  expect(complaints).toEqual([]);
});

test('a new ticket that is refused after its writer has left tells them, and keeps its text', async () => {
  const { page, complaints } = await openPage();
  await register(page);
  const left = Promise.withResolvers<void>();
  const refusal = { key: 'auth.role_insufficient', params: {}, fallbackMessage: 'You may not.' };
  await page.route(/\/tickets$/, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    await left.promise;
    await route.fulfill({ status: 403, json: refusal });
  });
  const write = async () => {
    await page.keyboard.press('c');
    await page.getByRole('button', { name: 'Internal' }).click();
    await page.getByLabel('Subject').fill('Recall of the rack');
    await page.getByRole('textbox', { name: 'Text' }).fill('All of 2025.');
  };
  const sendAndLeave = async () => {
    const begun = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/tickets'));
    await page.keyboard.press('Control+Enter');
    await begun;
    await page.getByLabel('Subject').press('Escape');
    await page.getByRole('heading', { name: 'New ticket' }).waitFor({ state: 'detached' });
  };
  await write();
  await sendAndLeave();
  left.resolve();
  await page.getByText('Your new ticket was not created. You may not.').waitFor();
  await page.getByRole('button', { name: 'Show draft' }).click();
  await page.getByRole('heading', { name: 'New ticket' }).waitFor();
  expect(await page.getByLabel('Subject').inputValue()).toBe('Recall of the rack');
  expect(await page.getByRole('textbox', { name: 'Text' }).textContent()).toBe('All of 2025.');
  // The next time it is made. The person is where they went, and hears of it.
  await page.unroute(/\/tickets$/);
  const held = Promise.withResolvers<void>();
  await page.route(/\/tickets$/, async (route) => {
    if (route.request().method() === 'POST') await held.promise;
    await route.fallback();
  });
  await page.getByRole('button', { name: 'Internal' }).click();
  await sendAndLeave();
  held.resolve();
  await page.getByText('Ticket #1 was created').waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('heading', { name: 'Recall of the rack', exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('Escape leads from a new ticket back to the ticket that was open, and its focus', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  const from = 'Jo Doe <jo@example.org>';
  await ingest(house, owner, [mailOf({ headers: { From: from, Subject: 'Brakes' } })]);
  const row = page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: /Brakes/ });
  await row.click();
  await page.getByRole('heading', { name: 'Brakes', exact: true }).waitFor();
  await page.keyboard.press('c');
  const to = page.getByLabel('To', { exact: true });
  await to.fill('jo@');
  await page.getByRole('option', { name: /Jo Doe/ }).waitFor();
  await to.press('Enter');
  // The person chose a name, and sees it.
  await page.getByText('Jo Doe', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: /^Remove jo@/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Brakes', exact: true }).waitFor();
  await expect.poll(() => row.and(page.locator(':focus')).count()).toBe(1);
  expect(complaints).toEqual([]);
});

/** Whether the page keeps the browser from opening a file. Runs in the page. */
const dropFile = `['dragover', 'drop'].map((type) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(['x'], 'x.txt'));
  return !document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
})`;

test('a file that falls beside a composer does not take the place of the page', async () => {
  const { page } = await openPage();
  await register(page);
  for (const address of ['/drafts', '/c']) {
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const isPrevented = () => page.evaluate(dropFile);
    await expect.poll(isPrevented).toEqual([true, true]);
  }
});
