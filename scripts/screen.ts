import type { Page } from 'playwright-core';

export type Screen = {
  name: string;
  address: string;
  /** Shown to signed-out visitors. */
  isPublic?: true;
  /** Shown to an owner, who can change settings. Default: an agent. */
  isForOwner?: true;
  /** Leads from the address to the state in the picture. */
  prepare?: (page: Page) => Promise<unknown>;
  /** The windows of the pictures. Default: all. */
  looks?: readonly Look[];
};

export type Look = 'light' | 'dark' | 'phone';

export const firstTicket = async (page: Page) => {
  await page.getByRole('region', { name: 'Tickets' }).getByRole('link').first().click();
  await page.getByRole('article').first().waitFor();
};

export const ticketOf = (subject: RegExp) => async (page: Page) => {
  await page.getByRole('link', { name: subject }).first().click();
  await page.getByRole('article').first().waitFor();
};
