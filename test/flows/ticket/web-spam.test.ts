import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, isFocused, password, pressSequence, signIn, useWebPages } from '../../pages/web-pages.ts';
import { givePassword, makeMember } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

const rowOf = (page: Page) => (subject: string) =>
  page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

test('tickets become spam by key and in bulk, come back, and change nothing meanwhile', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  for (const subject of ['Cheap lamps', 'Cheap chairs', 'Cheap tables'])
    await ingest(house, owner, [mailOf({ headers: { Subject: subject } })]);
  const row = rowOf(page);
  // Each new ticket moves the rows below it.
  await row('Cheap tables').waitFor();
  await row('Cheap lamps').click();
  await heading(page, 'Cheap lamps').waitFor();
  await page.keyboard.press('!');
  await page.getByText('#1 marked as spam').waitFor();
  await expect.poll(() => row('Cheap lamps').count()).toBe(0);
  await page.keyboard.press('z');
  await row('Cheap lamps').click();
  await heading(page, 'Cheap lamps').waitFor();
  await page.keyboard.press('!');
  await expect.poll(() => row('Cheap lamps').count()).toBe(0);

  await pressSequence(page, 'g', 'j');
  await heading(page, 'Spam').waitFor();
  await row('Cheap lamps').click();
  await page.getByText(/A person marked this as spam. .* It is deleted for good on/).waitFor();
  expect(await page.getByRole('button', { name: /Reply/ }).count()).toBe(0);
  expect(await axeFaults(page)).toEqual([]);
  for (const key of ['e', 'a']) {
    await page.keyboard.press(key);
    await page.getByText('Spam cannot be changed. Mark it as not spam first.').first().waitFor();
  }
  await page.getByRole('button', { name: 'Not spam', exact: true }).press('Enter');
  await expect.poll(() => row('Cheap lamps').count()).toBe(0);
  await page.getByText('Spam stays here for 30 days.').waitFor();

  await pressSequence(page, 'g', 'i');
  await expect.poll(() => row('Cheap').count()).toBe(3);
  await page.keyboard.press('Control+a');
  const bar = page.getByRole('region', { name: 'Selected tickets' });
  await bar.getByRole('button', { name: 'Spam', exact: true }).press('Enter');
  await expect.poll(() => row('Cheap').count()).toBe(0);
  await page.keyboard.press('z');
  await expect.poll(() => row('Cheap').count()).toBe(3);
  await expect.poll(async () => (await owner.call('GET', '/tickets')).body.length).toBe(3);
  await page.keyboard.press('Control+a');
  await bar.getByRole('button', { name: 'Spam', exact: true }).press('Enter');
  await expect.poll(() => row('Cheap').count()).toBe(0);
  // The page shows the change before the service has made it, and the search asks the service.
  await expect.poll(async () => (await owner.call('GET', '/tickets')).body.length).toBe(0);

  await page.keyboard.press('/');
  await page.keyboard.type('is:spam cheap');
  await page.keyboard.press('Enter');
  await expect.poll(() => row('Cheap').count()).toBe(3);
  await page.getByText('Spam', { exact: true }).first().waitFor();
  await pressSequence(page, 'g', 'j');
  await heading(page, 'Spam').waitFor();
  await page.keyboard.press('Control+a');
  await bar.getByRole('button', { name: 'Not spam', exact: true }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await bar.getByRole('button', { name: 'Not spam', exact: true }).press('Enter');
  await page.getByText('Spam stays here for 30 days.').waitFor();
  await expect.poll(async () => (await owner.call('GET', '/tickets')).body.length).toBe(3);
  expect(complaints).toEqual([]);
});

test('a sender is blocked by key, seen in spam at once, and unblocked there', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  const mailFrom = (from: string, subject: string) =>
    ingest(house, owner, [mailOf({ headers: { From: from, Subject: subject } })]);
  await mailFrom('Sam <sam@offers.example>', 'First offer');
  await mailFrom('eva@gmail.com', 'Second offer');
  const row = rowOf(page);
  await row('First offer').click();
  await heading(page, 'First offer').waitFor();
  await page.keyboard.press('b');
  const dialog = page.getByRole('dialog', { name: 'Block sender or domain: #1' });
  await expect.poll(() => isFocused(dialog.getByRole('radio', { name: 'Email from sam@offers.example' }))).toBe(true);
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => dialog.getByRole('radio', { name: 'All email from offers.example' }).isChecked()).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByText('offers.example is blocked. Their email becomes spam.').waitFor();
  await expect.poll(() => row('First offer').count()).toBe(0);
  // On to the next ticket, as after every change that finishes a ticket.
  await heading(page, 'Second offer').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('block sender');
  await page.keyboard.press('Enter');
  const shared = page.getByRole('dialog', { name: 'Block sender or domain: #2' });
  await shared.getByRole('radio', { name: 'All email from gmail.com' }).check();
  await page.keyboard.press('Enter');
  await shared.getByText('Anybody can have an address at gmail.com. Block all of them?').waitFor();
  await shared.getByRole('button', { name: 'Block all of gmail.com' }).waitFor();
  await page.keyboard.press('Escape');
  await shared.waitFor({ state: 'detached' });
  expect((await owner.call('GET', '/blocked-senders')).body.items).toHaveLength(1);

  await pressSequence(page, 'g', 'j');
  await row('First offer').waitFor();
  await mailFrom('lee@mail.offers.example', 'Third offer');
  await row('Third offer').click();
  await page.getByText(/This is spam, because the domain of its sender is on the block list\./).waitFor();
  await page.getByText(/moved the ticket to spam, because its sender is blocked/).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Not spam, and unblock domain' }).press('Enter');
  await page.getByText('#3 is not spam, and its sender is no longer blocked.').waitFor();
  await pressSequence(page, 'g', 'i');
  await row('Third offer').waitFor();
  await mailFrom('kim@offers.example', 'Fourth offer');
  await row('Fourth offer').waitFor();
  expect(complaints).toEqual([]);
});

test('the block list is kept in the settings, by keyboard', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await page.goto('/settings/blocked');
  await page.getByText('Nobody is blocked.').waitFor();
  const field = page.getByRole('textbox', { name: 'Address or domain' });
  const list = page.getByRole('list', { name: 'Blocked senders' });
  const block = async (sender: string) => {
    await field.fill(sender);
    await field.press('Enter');
  };
  await block('Sam@Offers.example');
  await list.getByText('Sam@Offers.example').waitFor();
  await block('bücher.example');
  await list.getByText('Everybody at bücher.example').waitFor();
  await list
    .getByText(/By Ada, /)
    .first()
    .waitFor();
  await block(owner.email);
  await page.getByRole('alert').getByText('This would block an address of your own, or a member.').waitFor();
  page.once('dialog', (dialog) => {
    expect(dialog.message()).toBe('Anybody can have an address at gmail.com. Block all of them?');
    void dialog.accept();
  });
  await block('gmail.com');
  await list.getByText('Everybody at gmail.com').waitFor();
  expect(await axeFaults(page)).toEqual([]);

  const search = page.getByRole('searchbox', { name: 'Search' });
  await search.fill('BÜCHER');
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
  await search.fill('');
  await expect.poll(() => list.getByRole('listitem').count()).toBe(3);
  await list.getByRole('button', { name: 'Unblock gmail.com' }).press('Enter');
  await page.getByText('gmail.com is no longer blocked.').waitFor();
  await expect.poll(() => list.getByRole('listitem').count()).toBe(2);

  const { page: viewerPage } = await openPage();
  const { workspaceId } = owner;
  await signIn(viewerPage, await givePassword(house, await makeMember(house, workspaceId, 'viewer'), password));
  await viewerPage.goto('/settings/blocked');
  await viewerPage.getByText('Everybody at bücher.example').waitFor();
  expect(await viewerPage.getByRole('button', { name: /lock/ }).count()).toBe(0);
  expect(complaints).toEqual([]);
});
