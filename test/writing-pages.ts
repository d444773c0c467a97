import type { Page } from 'playwright-core';
import type { Person } from './factories.ts';
import type { House } from './harness.ts';
import { ingest, mailOf } from './mails.ts';
import { useWebPages } from './web-pages.ts';

export const textOf = (page: Page) => page.getByRole('textbox', { name: 'Text' });

export async function rewrite(page: Page, text: string): Promise<void> {
  await textOf(page).click();
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

/** Pages for tests of the composer. */
export function useWritingPages(house: House) {
  const pages = useWebPages(house);

  /** A workspace with one ticket, open in the page. */
  async function openTicket(page: Page, subject: string): Promise<Person> {
    const owner = await pages.register(page);
    await ingest(house, owner, [mailOf({ headers: { Subject: subject, 'Message-ID': '<first@example.org>' } })]);
    await page.getByRole('link', { name: new RegExp(subject) }).click();
    await textOf(page).waitFor();
    return owner;
  }

  return { ...pages, openTicket };
}
