import type { Page } from 'playwright-core';
import { everyLook, firstTicket, type Screen, ticketOf, withGerman } from './screen.ts';
import { listScreens } from './screen-lists.ts';
import { settingsScreens } from './screen-settings.ts';

/** Presses keys on an open ticket, and waits for the dialog that they open. */
const dialogOf = (keys: string) => async (page: Page) => {
  await firstTicket(page);
  await page.keyboard.press(keys);
  await page.getByRole('dialog').getByRole('combobox').waitFor();
};

/** Opens the composer of the first ticket. */
const composerOf = (key: string) => async (page: Page) => {
  await firstTicket(page);
  await page.keyboard.press(key);
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
};

const wide = ['light', 'dark'] as const;

/** Every screen of the web inbox with a picture in docs/screens. */
export const screens: readonly Screen[] = [
  { name: 'sign-in', address: '/sign-in', isPublic: true, looks: withGerman },
  { name: 'register', address: '/register', isPublic: true },
  { name: 'forgot-password', address: '/forgot-password', isPublic: true },
  { name: 'inbox', address: '/', looks: withGerman },
  { name: 'ticket', address: '/', prepare: ticketOf(/Interview on cargo bikes/), looks: everyLook },
  {
    name: 'answer',
    address: '/',
    looks: withGerman,
    prepare: composerOf('r'),
  },
  {
    name: 'note',
    address: '/',
    prepare: composerOf('n'),
  },
  { name: 'search', address: '/?search=brake' },
  { name: 'contacts', address: '/c' },
  {
    name: 'contact',
    address: '/c',
    prepare: async (page) => {
      await page.getByRole('list', { name: 'Contacts' }).getByRole('link').first().click();
      await page.getByLabel('The other contact').waitFor();
    },
  },
  {
    name: 'help',
    address: '/',
    prepare: async (page) => {
      await page.keyboard.press('Shift+?');
      await page.getByRole('dialog').getByRole('searchbox').waitFor();
    },
    looks: withGerman,
  },
  {
    name: 'selected',
    address: '/',
    prepare: async (page) => {
      await firstTicket(page);
      await page.keyboard.press('x');
      await page.keyboard.press('Shift+J');
    },
    looks: wide,
  },
  {
    name: 'notifications',
    address: '/',
    prepare: async (page) => {
      await page.keyboard.press('g');
      await page.keyboard.press('n');
      await page.getByRole('dialog').getByRole('button').first().waitFor();
    },
  },
  {
    name: 'contact-panel',
    address: '/',
    prepare: async (page) => {
      await firstTicket(page);
      const rail = page.getByRole('complementary').getByRole('heading').first();
      // A narrow window has it on request.
      if (!(await rail.isVisible())) await page.keyboard.press('\\');
      await rail.waitFor();
    },
  },
  {
    name: 'html-mail',
    address: '/?search=spring+catalogue',
    prepare: async (page) => {
      await ticketOf(/spring catalogue/)(page);
      await page.frameLocator('iframe:not([hidden])').getByText('Spring catalogue').first().waitFor();
      await page.getByRole('button', { name: 'Show', exact: true }).waitFor();
    },
  },
  { name: 'warnings', address: '/?search=bank+details', prepare: ticketOf(/bank details/), looks: wide },
  { name: 'new-ticket', address: '/new', looks: withGerman },
  { name: 'palette', address: '/', prepare: dialogOf('Control+k'), looks: withGerman },
  { name: 'merge', address: '/', prepare: dialogOf('m'), looks: wide },
  { name: 'snooze', address: '/', prepare: dialogOf('h') },
  {
    name: 'split',
    address: '/',
    prepare: async (page) => {
      await ticketOf(/Interview on cargo bikes/)(page);
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').waitFor();
      await page.getByRole('option', { name: /move messages to a new ticket/ }).click();
      await page.getByRole('dialog').getByRole('checkbox').first().waitFor();
    },
  },
  {
    name: 'answer-files',
    address: '/',
    looks: ['light'],
    prepare: async (page) => {
      await firstTicket(page);
      await page.keyboard.press('r');
      await page.getByRole('button', { name: 'Bold' }).waitFor();
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles([
          { name: 'Invoice 2026-118.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(180_000) },
          {
            name: 'A very long name of a file that a customer asked for, second edition.txt',
            mimeType: 'text/plain',
            buffer: Buffer.alloc(900),
          },
        ]);
      await page.getByText('900 B').waitFor();
    },
  },
  {
    name: 'search-operators',
    address: '/',
    prepare: async (page) => {
      await page.keyboard.press('/');
      await page.getByRole('combobox', { name: 'Search' }).fill('brake tag:');
      await page.locator('[role=option]').first().waitFor();
    },
    looks: wide,
  },
  {
    name: 'filters',
    address: '/',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('button', { name: 'Apply' }).waitFor();
    },
  },
  ...settingsScreens,
  ...listScreens,
  { name: 'empty-list', address: '/?search=nothing-has-these-words', looks: ['light', 'phone'] },
  { name: 'empty-inbox', address: '/?snoozed=true', looks: ['light', 'phone'] },
  {
    name: 'offline',
    address: '/',
    prepare: async (page) => {
      await firstTicket(page);
      await page.context().setOffline(true);
      await page.keyboard.press('e');
      await page
        .getByText(/cannot be reached/)
        .first()
        .waitFor();
    },
    looks: ['light'],
  },
  {
    name: 'error',
    address: '/',
    prepare: async (page) => {
      await page.route('**/tickets?**', (route) => route.abort());
      await page.goto('/?search=charger');
      await page.getByRole('button', { name: 'Try again' }).waitFor();
    },
    looks: ['light'],
  },
];
