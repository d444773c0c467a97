import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { House } from '../harness/harness.ts';
import type { Person } from '../worlds/factories.ts';
import { ingest, mailOf } from '../worlds/mails.ts';
import { useWebPages } from './web-pages.ts';

export const textOf = (page: Page) => page.getByRole('textbox', { name: 'Text' });

/** The service's answer to a text that its writer may not send. */
export const refusal = { key: 'auth.role_insufficient', params: {}, fallbackMessage: 'You may not.' };

/** The bar that stands for the composer until a person writes. */
export const barOf = (page: Page) =>
  page.locator('section[data-mode] [data-command="answer"]:not([aria-pressed])').filter({ visible: true });

/** Opens the composer, if it is a bar, and puts the cursor into the text. */
export async function startWriting(page: Page): Promise<void> {
  await barOf(page).or(textOf(page)).first().waitFor();
  if (await barOf(page).isVisible()) await barOf(page).click();
  await textOf(page).click();
}

/** Waits until the composer has no text and is a bar again. */
export async function seeNothingWritten(page: Page): Promise<void> {
  await barOf(page).waitFor();
  await textOf(page).waitFor({ state: 'detached' });
}

/** Waits until the page has fetched the editor, which the bar does not show. */
export async function seeEditorLoaded(page: Page): Promise<void> {
  const loaded = `performance.getEntriesByType('resource').some(({ name }) => name.includes('/RichText-'))`;
  await expect.poll(() => page.evaluate(loaded)).toBe(true);
}

export async function rewrite(page: Page, text: string): Promise<void> {
  await startWriting(page);
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
    const list = page.getByRole('region', { name: 'Tickets', exact: true });
    await list.getByRole('link', { name: new RegExp(subject) }).click();
    await barOf(page).waitFor();
    return owner;
  }

  return { ...pages, openTicket };
}
