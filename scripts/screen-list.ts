import type { Page } from 'playwright-core';

export type Screen = {
  name: string;
  address: string;
  /** Shown to people who have not signed in. */
  isPublic?: true;
  /** Leads from the address to the state that the picture shows. */
  prepare?: (page: Page) => Promise<unknown>;
};

const firstTicket = async (page: Page) => {
  await page.getByRole('region', { name: 'Tickets' }).getByRole('link').first().click();
  await page.getByRole('article').first().waitFor();
};

const pressBoth = async (page: Page, first: string, second: string) => {
  await page.keyboard.press(first);
  await page.keyboard.press(second);
};

/** Every screen of the web inbox that has a picture in docs/screens. */
export const screens: readonly Screen[] = [
  { name: 'sign-in', address: '/sign-in', isPublic: true },
  { name: 'register', address: '/register', isPublic: true },
  { name: 'forgot-password', address: '/forgot-password', isPublic: true },
  { name: 'inbox', address: '/' },
  { name: 'ticket', address: '/', prepare: firstTicket },
  {
    name: 'answer',
    address: '/',
    prepare: async (page) => {
      await firstTicket(page);
      await page.keyboard.press('r');
    },
  },
  {
    name: 'note',
    address: '/',
    prepare: async (page) => {
      await firstTicket(page);
      await page.keyboard.press('n');
    },
  },
  { name: 'search', address: '/?search=brake' },
  { name: 'help', address: '/', prepare: (page) => page.keyboard.press('Shift+?') },
  {
    name: 'selected',
    address: '/',
    prepare: async (page) => {
      await firstTicket(page);
      await page.keyboard.press('x');
      await page.keyboard.press('Shift+J');
    },
  },
  { name: 'notifications', address: '/', prepare: (page) => pressBoth(page, 'g', 'n') },
  { name: 'settings-profile', address: '/settings/profile' },
  { name: 'settings-look', address: '/settings/look' },
  { name: 'settings-security', address: '/settings/security' },
  { name: 'settings-notifications', address: '/settings/notifications' },
  { name: 'settings-members', address: '/settings/members' },
  { name: 'empty-list', address: '/?search=nothing-has-these-words' },
];
