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

const firstTicket = async (page: Page) => {
  await page.getByRole('region', { name: 'Tickets' }).getByRole('link').first().click();
  await page.getByRole('article').first().waitFor();
};

const ticketOf = (subject: RegExp) => async (page: Page) => {
  await page.getByRole('link', { name: subject }).first().click();
  await page.getByRole('article').first().waitFor();
};

/** Presses keys on an open ticket, and waits for the dialog that they open. */
const dialogOf = (keys: string) => async (page: Page) => {
  await firstTicket(page);
  await page.keyboard.press(keys);
  await page.getByRole('dialog').getByRole('combobox').waitFor();
};

const wide = ['light', 'dark'] as const;

/** Every screen of the web inbox with a picture in docs/screens. */
export const screens: readonly Screen[] = [
  { name: 'sign-in', address: '/sign-in', isPublic: true },
  { name: 'register', address: '/register', isPublic: true },
  { name: 'forgot-password', address: '/forgot-password', isPublic: true },
  { name: 'inbox', address: '/' },
  { name: 'ticket', address: '/', prepare: ticketOf(/Interview on cargo bikes/) },
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
  { name: 'contacts', address: '/c' },
  {
    name: 'contact',
    address: '/c',
    prepare: async (page) => {
      await page.getByRole('list', { name: 'Contacts' }).getByRole('link').first().click();
      await page.getByLabel('The other contact').waitFor();
    },
  },
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
      await page.keyboard.press('\\');
      await page.getByRole('complementary').getByRole('heading').first().waitFor();
    },
  },
  {
    name: 'html-mail',
    address: '/?search=spring+catalogue',
    prepare: async (page) => {
      await ticketOf(/spring catalogue/)(page);
      await page.frameLocator('iframe:not([hidden])').getByText('Spring catalogue').first().waitFor();
    },
  },
  { name: 'warnings', address: '/?search=bank+details', prepare: ticketOf(/bank details/), looks: wide },
  { name: 'new-ticket', address: '/new' },
  { name: 'palette', address: '/', prepare: dialogOf('Control+k') },
  { name: 'merge', address: '/', prepare: dialogOf('m'), looks: wide },
  { name: 'snooze', address: '/', prepare: dialogOf('h') },
  {
    name: 'search-operators',
    address: '/',
    prepare: async (page) => {
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
  { name: 'settings-profile', address: '/settings/profile' },
  { name: 'settings-look', address: '/settings/look' },
  {
    name: 'settings-shortcuts',
    address: '/settings/look',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Change the keys of “New ticket”' }).click();
      await page.keyboard.press('r');
      await page.getByText(/would no longer run/).waitFor();
    },
  },
  { name: 'settings-security', address: '/settings/security' },
  { name: 'settings-notifications', address: '/settings/notifications' },
  { name: 'settings-members', address: '/settings/members' },
  { name: 'settings-replies', address: '/settings/replies?reply=new' },
  {
    name: 'settings-tags',
    address: '/settings/tags',
    isForOwner: true,
    prepare: async (page) => {
      const list = page.getByRole('list', { name: 'Tags in use' });
      const colours = ['blue', 'orange', 'green', 'red', 'purple', 'teal', 'yellow', 'pink'];
      for (const [at, colour] of colours.entries()) await list.getByRole('combobox').nth(at).selectOption(colour);
      await list
        .getByRole('button', { name: /^Rename/ })
        .first()
        .click();
      await page.getByText('Tickets in the trash').waitFor();
      await list.locator('[data-tag-colour=red]').waitFor();
    },
  },
  { name: 'settings-workspace', address: '/settings/workspace', isForOwner: true },
  { name: 'settings-blocked', address: '/settings/blocked', isForOwner: true },
  { name: 'settings-quarantine', address: '/settings/quarantine', isForOwner: true },
  { name: 'settings-import', address: '/settings/import', isForOwner: true },
  { name: 'settings-keys', address: '/settings/keys', isForOwner: true },
  { name: 'settings-webhooks', address: '/settings/webhooks', isForOwner: true },
  { name: 'settings-audit', address: '/settings/audit', isForOwner: true },
  { name: 'settings-mailboxes', address: '/settings/mailboxes', isForOwner: true },
  {
    name: 'mailbox',
    address: '/settings/mailboxes',
    isForOwner: true,
    prepare: async (page) => {
      await page.getByRole('region', { name: 'Connected mailboxes' }).getByRole('link').first().click();
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByRole('listitem').filter({ hasText: 'Public address' }).waitFor();
    },
  },
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
