import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { Person } from '../factories.ts';
import { useHouse } from '../harness.ts';
import { ingest, mailOf } from '../mails.ts';
import { useWebPages } from '../web-pages.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

const textOf = (page: Page) => page.getByRole('textbox', { name: 'Text' });

/** A workspace with one ticket, which is open in the page. */
async function openTicket(page: Page, subject: string): Promise<void> {
  const owner = await register(page);
  await ingest(house, owner as Person, [mailOf({ headers: { Subject: subject } })]);
  await page.getByRole('link', { name: new RegExp(subject) }).click();
  await textOf(page).waitFor();
}

/** The same person at another machine, with nothing but the session. */
async function elsewhere(page: Page): Promise<Page> {
  const { cookies } = await page.context().storageState();
  const context = await page
    .context()
    .browser()
    ?.newContext({ baseURL: house.url, storageState: { cookies, origins: [] } });
  if (context === undefined) throw new Error('the browser is closed');
  onTestFinished(() => context.close());
  return context.newPage();
}

test('a draft outlives its tab, here and elsewhere, and two tabs lose neither text', async () => {
  const { page, complaints } = await openPage();
  await openTicket(page, 'Draft');
  const address = page.url();
  const saved = page.waitForResponse((response) => response.url().endsWith('/drafts/answer') && response.ok());
  await textOf(page).pressSequentially('Half an answer');
  await saved;
  await page.getByText('Saved', { exact: true }).waitFor();
  await textOf(page).pressSequentially(', and more');
  // At once, without a word to the page.
  const next = await page.context().newPage();
  await page.close({ runBeforeUnload: false });
  await next.goto(address);
  await expect.poll(() => textOf(next).inputValue()).toBe('Half an answer, and more');
  await next.getByText('Saved', { exact: true }).waitFor();
  const other = await elsewhere(next);
  await other.goto(address);
  await expect.poll(() => textOf(other).inputValue()).toBe('Half an answer, and more');
  await textOf(other).fill('Written elsewhere');
  await other.getByText('Saved', { exact: true }).waitFor();
  await textOf(next).fill('Written here');
  const conflict = next.getByRole('alert').filter({ hasText: 'Written elsewhere' });
  await conflict.getByText('Written here').last().waitFor();
  await conflict.getByRole('button', { name: 'Keep this text' }).first().click();
  await next.getByText('Saved', { exact: true }).waitFor();
  await other.reload();
  await expect.poll(() => textOf(other).inputValue()).toBe('Written here');
  expect(complaints).toEqual([]);
});
