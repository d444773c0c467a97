import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, useWebPages } from '../../pages/web-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

/** Opens a page with a ticket for each sender, the last one on top. */
async function openInbox(...senders: string[]) {
  const opened = await openPage();
  const owner = await register(opened.page);
  for (const [at, From] of senders.entries())
    await ingest(house, owner, [mailOf({ headers: { From, Subject: `Bike ${at + 1}` }, body: `Text ${at + 1}` })]);
  for (const at of senders.keys()) await rowOf(opened.page, `Bike ${at + 1}`).waitFor();
  return { ...opened, owner };
}

const rowOf = (page: Page, subject: string) =>
  page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const toast = (page: Page, text: string | RegExp) => page.getByRole('status').getByText(text);

/** The number of the ticket that each of the first tickets was merged into. */
async function targetsOf(owner: Person, count: number): Promise<unknown[]> {
  const tickets = await Promise.all(
    Array.from({ length: count }, (_, at) => owner.call('GET', `/tickets/number/${at + 1}`).then(({ body }) => body)),
  );
  return tickets.map(({ mergedIntoId }) => tickets.find(({ id }) => id === mergedIntoId)?.ticketNumber ?? null);
}

test('a merge shows both tickets and what comes of them, and the person chooses which stays', async () => {
  const { page, owner, complaints } = await openInbox('ann@example.org', 'ann@example.org', 'ben@example.net');
  await rowOf(page, 'Bike 3').click();
  await heading(page, 'Bike 3').waitFor();
  await page.keyboard.press('m');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').waitFor();
  await page.keyboard.type('Bike 1');
  await dialog.getByRole('option', { name: /#1 Bike 1/ }).waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByRole('heading', { name: 'Merge 2 tickets' }).waitFor();
  await dialog.getByRole('alert').getByText('The tickets are of different people.').waitFor();
  await dialog.getByRole('radio', { name: /Keep #1 · 1 message Bike 1/, checked: true }).waitFor();
  const lines = dialog.getByRole('region', { name: '#1 afterwards · 2 messages' }).getByRole('listitem');
  await expect
    .poll(() => lines.allTextContents())
    .toEqual([expect.stringMatching(/ann.*Text 1.*#1/), expect.stringMatching(/ben.*Text 3.*#3/)]);
  expect(await axeFaults(page)).toEqual([]);
  // The other one stays.
  await page.keyboard.press('ArrowDown');
  await dialog.getByRole('radio', { name: /Keep #3/, checked: true }).waitFor();
  await page.keyboard.press('Enter');
  await toast(page, '#1 merged into #3').waitFor();
  await heading(page, 'Bike 3').waitFor();
  await expect.poll(() => targetsOf(owner, 3)).toEqual([3, null, null]);
  await page.keyboard.press('z');
  await expect.poll(() => targetsOf(owner, 3)).toEqual([null, null, null]);
  // Tickets of one person have no warning.
  await rowOf(page, 'Bike 1').click();
  await heading(page, 'Bike 1').waitFor();
  await page.keyboard.press('m');
  await dialog.getByRole('option', { name: /#2 Bike 2/ }).click();
  await dialog.getByRole('button', { name: 'Merge into #2' }).waitFor();
  expect(await dialog.getByRole('alert').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('selected tickets merge with each other, and one step brings all of them back', async () => {
  const { page, owner } = await openInbox('ann@example.org', 'ann@example.org', 'ann@example.org');
  await page.keyboard.press('Control+a');
  await page.getByText('3 selected').waitFor();
  await page.keyboard.press('m');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'Merge 3 tickets' }).waitFor();
  await dialog.getByRole('radio', { name: /Keep #1/, checked: true }).waitFor();
  await dialog.getByRole('button', { name: 'Merge into #1' }).click();
  await heading(page, 'Bike 1').waitFor();
  await expect.poll(() => targetsOf(owner, 3)).toEqual([null, 1, 1]);
  await page.getByText('3 selected').waitFor({ state: 'detached' });
  await page.keyboard.press('z');
  await expect.poll(() => targetsOf(owner, 3)).toEqual([null, null, null]);
});

test('of selected tickets, one that the service refuses to merge is named, and the others are merged', async () => {
  const { page, owner } = await openInbox('ann@example.org', 'ann@example.org', 'ann@example.org');
  const { id } = (await owner.call('GET', '/tickets/number/2')).body;
  await page.route(new RegExp(`/tickets/${id}/merge$`), (route) =>
    route.fulfill({ status: 409, json: { key: 'ticket.sample', params: {}, fallbackMessage: 'Not this one.' } }),
  );
  await page.keyboard.press('Control+a');
  await page.keyboard.press('m');
  await page.getByRole('dialog').getByRole('button', { name: 'Merge into #1' }).click();
  await page.getByRole('alert').filter({ hasText: '#2:' }).waitFor();
  await expect.poll(() => targetsOf(owner, 3)).toEqual([null, null, 1]);
  await rowOf(page, 'Bike 2').waitFor();
});

test('a merge into a ticket that is in the trash meanwhile names that ticket, once', async () => {
  const { page, owner } = await openInbox('ann@example.org', 'ann@example.org', 'ann@example.org');
  const { id } = (await owner.call('GET', '/tickets/number/1')).body;
  await page.keyboard.press('Control+a');
  await page.keyboard.press('m');
  await page.getByRole('dialog').getByRole('heading', { name: 'Merge 3 tickets' }).waitFor();
  await owner.call('DELETE', `/tickets/${id}`);
  await rowOf(page, 'Bike 1').waitFor({ state: 'detached' });
  await page.getByRole('dialog').getByRole('button', { name: 'Merge into #1' }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('#1: There is no such ticket in this workspace.', { exact: true }).waitFor();
  for (const subject of ['Bike 2', 'Bike 3']) await rowOf(page, subject).waitFor();
});

test('hits of earlier words leave the picker of a merge as soon as other words are typed', async () => {
  const { page } = await openInbox('ann@example.org', 'ben@example.net');
  await rowOf(page, 'Bike 2').click();
  await heading(page, 'Bike 2').waitFor();
  await page.keyboard.press('m');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').waitFor();
  // Only the service knows the words of a message.
  await page.keyboard.type('Text 1');
  await dialog.getByRole('option', { name: /#1 Bike 1/ }).waitFor();
  const release = Promise.withResolvers<void>();
  await page.route(/search=[^&]*other/, (route) => release.promise.then(() => route.continue()));
  await page.keyboard.type(' other');
  await dialog.getByRole('option', { name: /#1 Bike 1/ }).waitFor({ state: 'detached' });
  release.resolve();
  for (const _ of ' other') await page.keyboard.press('Backspace');
  await dialog.getByRole('option', { name: /#1 Bike 1/ }).waitFor();
});

test('a selected ticket that leaves the list before its change is refused is named all the same', async () => {
  const { page, owner } = await openInbox('ann@example.org', 'ann@example.org', 'ann@example.org');
  const { id } = (await owner.call('GET', '/tickets/number/2')).body;
  await page.keyboard.press('Control+a');
  await page.keyboard.press('a');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await owner.call('DELETE', `/tickets/${id}`);
  await rowOf(page, 'Bike 2').waitFor({ state: 'detached' });
  await page.keyboard.type('Me');
  await page.keyboard.press('Enter');
  await toast(page, /^2 tickets changed, others not\. #2: /).waitFor();
});
