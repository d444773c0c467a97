import type { Locator, Page } from 'playwright-core';

export type Screen = {
  name: string;
  address: string;
  /** Shown to signed-out visitors. */
  isPublic?: true;
  /** Shown to an owner, who can change settings. Default: an agent. */
  isForOwner?: true;
  /** Leads from the address to the state in the picture. */
  prepare?: (page: Page) => Promise<unknown>;
  /** The windows of the pictures. */
  looks?: readonly Look[];
};

/** `rtl`: as a language from right to left would have it. */
export type Look = 'light' | 'dark' | 'phone' | 'german' | 'rtl';
export const looksByDefault: readonly Look[] = ['light', 'dark', 'phone'];
export const everyLook: readonly Look[] = [...looksByDefault, 'german', 'rtl'];
export const withGerman: readonly Look[] = [...looksByDefault, 'german'];

export const firstTicket = (page: Page) =>
  open(page, page.getByRole('region', { name: 'Tickets' }).getByRole('link').first());

export const ticketOf = (subject: RegExp) => (page: Page) =>
  open(page, page.getByRole('link', { name: subject }).first());

async function open(page: Page, ticket: Locator): Promise<void> {
  // The last part of a ticket that comes. A ticket that was open before asks for nothing.
  const events = page.waitForResponse(/\/events\b/, { timeout: 3_000 }).catch(() => undefined);
  await ticket.click();
  await page.getByRole('article').first().waitFor();
  await events;
}
