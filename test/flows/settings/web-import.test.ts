import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, useWebPages } from '../../pages/web-pages.ts';
import { liveTicketsOf, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

const mboxOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => {
    const mail = mailOf({ headers: { Subject: `${name} ${at}`, 'Message-ID': `<${at}.${name}@example.org>` } });
    return `From x Thu Jan  1 00:00:00 2026\n${mail}\n`;
  }).join('');

/** Drops files as a person does with the pointer. */
const drop = (page: Page, files: Record<string, string>) =>
  page.evaluate(`{
    const dataTransfer = new DataTransfer();
    for (const [name, content] of Object.entries(${JSON.stringify(files)}))
      dataTransfer.items.add(new File([content], name));
    for (const type of ['dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }`);

test('old mail is imported by drop and by keyboard, with its progress, a stop, and a report', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await page.goto('/settings/import');
  await page.getByText('Nothing was imported in the last 90 days.').waitFor();
  expect(await axeFaults(page)).toEqual([]);

  await drop(page, { 'Inbox.mbox': mboxOf('dropped', 3) });
  await drop(page, { 'notes.txt': 'Buy milk.' });
  await page.getByText('2 files').waitFor();
  await page.getByLabel('closed and archived').check();
  await page.getByLabel('Your own addresses').fill('nobody');
  expect(await axeFaults(page)).toEqual([]);
  const start = page.getByRole('button', { name: 'Import', exact: true });
  await start.click();
  await page.getByRole('alert').getByText('own address is no mail address and no domain').waitFor();
  await page.getByLabel('Your own addresses').fill('@acme.test, help@acme.example');
  await start.click();
  const list = page.getByRole('list', { name: 'Imports' });
  await list.getByText('In progress').waitFor();
  await page.getByText('An import is in progress. The next can start when it ends.').waitFor();
  await house.drain();
  await list.getByText('Done').waitFor();
  const counts = list.getByRole('listitem').first();
  await counts.getByText('Imported').locator('xpath=..').getByText('3').waitFor();
  await counts.getByText('Skipped', { exact: true }).locator('xpath=..').getByText('1').waitFor();
  await page.getByRole('button', { name: 'What was skipped in Inbox.mbox, notes.txt' }).press('Enter');
  const problems = page.getByRole('list', { name: 'What was skipped' });
  await expect.poll(() => problems.textContent()).toBe('notes.txtis not an email');
  expect(await axeFaults(page)).toEqual([]);
  expect(await liveTicketsOf(owner)).toMatchObject(
    [1, 2, 3].map(() => ({ status: 'closed', archivedAt: expect.any(String) })),
  );

  // By keyboard, and stopped.
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).press('Enter');
  await (await chooser).setFiles([{ name: 'Old.mbox', mimeType: '', buffer: Buffer.from(mboxOf('chosen', 3_000)) }]);
  await page.getByLabel('closed (a reply reopens them)').press('Space');
  await page.getByLabel('Your own addresses').fill('');
  await start.press('Enter');
  const stop = page.getByRole('button', { name: 'Stop the import of Old.mbox' });
  await stop.waitFor();
  const working = house.drain();
  await list.getByRole('progressbar').waitFor();
  await expect.poll(async () => Number(await list.getByRole('progressbar').getAttribute('value'))).toBeGreaterThan(0);
  await stop.press('Enter');
  await working;
  await list.getByText('Stopped. What was imported stays.').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  const [stopped] = (await owner.call('GET', '/imports')).body;
  expect(stopped.imported).toBeLessThan(3_000);
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
  // The refused address, as the browser tells of it.
  expect(complaints.filter((line) => !line.includes('400'))).toEqual([]);
});
