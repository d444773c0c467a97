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
