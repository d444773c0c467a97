import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { House } from '../harness/harness.ts';
import { givePassword, makeOwner, type Person } from '../worlds/factories.ts';
import { ingest, mailOf } from '../worlds/mails.ts';
import { password, pressSequence } from './web-pages.ts';

/** All screens of the web inbox, each with the way to it from the one before, for tests that walk them. */

const html = {
  Subject: 'Newsletter',
  'Reply-To': 'Desk <desk@example.net>',
  'Content-Type': 'text/html; charset=utf-8',
};
const htmlBody =
  '<table width="700" bgcolor="#eeeeee"><tr><td><h1>Spring</h1>' +
  '<img src="https://pictures.example/a.png"></td></tr></table>';

const dialog = (page: Page) => page.getByRole('dialog');
const press =
  (...keys: string[]) =>
  async (page: Page) => {
    for (const key of keys) await page.keyboard.press(key);
  };
export const goTo = (address: string) => async (page: Page) => {
  await page.goto(address);
  await page.getByRole('main').waitFor();
  await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
};
const pick = (name: RegExp) => async (page: Page) => {
  await page.keyboard.press('Control+k');
  await dialog(page).getByRole('combobox').waitFor();
  await page.getByRole('option', { name }).first().click();
  await dialog(page).waitFor();
};

export const settingsSections = [
  'profile',
  'look',
  'shortcuts',
  'security',
  'notifications',
  'workspace',
  'members',
  'teams',
  'mailboxes',
  'rules',
  'hours',
  'replies',
  'auto-replies',
  'surveys',
  'tags',
  'bulk',
  'blocked',
  'quarantine',
  'import',
  'keys',
  'webhooks',
  'audit',
];

/** A screen, the way to it from the screen before, and a sign that it is shown. */
export type Screen = readonly [
  name: string,
  reach: (page: Page) => Promise<unknown>,
  shown: (page: Page) => Promise<unknown>,
];

export const inbox: readonly Screen[] = [
  ['list', goTo('/'), (page) => page.getByRole('link', { name: /Newsletter/ }).waitFor()],
  ['selected', press('x'), (page) => page.getByRole('button', { name: 'Clear' }).waitFor()],
  [
    'filter panel',
    async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
    },
    (page) => page.getByRole('button', { name: 'Apply' }).waitFor(),
  ],
  [
    'search',
    async (page) => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('/');
      await page.getByRole('combobox', { name: 'Search' }).fill('news is:');
    },
    (page) => page.locator('[role=option]').first().waitFor(),
  ],
  [
    'notifications',
    async (page) => {
      await goTo('/')(page);
      await pressSequence(page, 'g', 'n');
    },
    (page) => dialog(page).getByRole('button').first().waitFor(),
  ],
];

export const ticket: readonly Screen[] = [
  [
    'HTML mail',
    async (page) => {
      await goTo('/')(page);
      await page.getByRole('link', { name: /Newsletter/ }).click();
    },
    (page) => page.frameLocator('iframe:not([hidden])').getByText('Spring').waitFor(),
  ],
  ['answer', press('r'), (page) => page.getByRole('button', { name: 'Bold' }).waitFor()],
  [
    'note',
    async (page) => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('n');
    },
    (page) => page.getByText('Only your team sees this.').waitFor(),
  ],
  [
    'rail over the ticket',
    async (page) => {
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 1024, height: 800 });
      await page.keyboard.press('\\');
    },
    (page) => page.getByRole('complementary').getByRole('heading').first().waitFor(),
  ],
  ['snooze', press('Escape', 'h'), (page) => dialog(page).getByRole('option').first().waitFor()],
  ['merge', press('Escape', 'm'), (page) => dialog(page).getByRole('combobox').waitFor()],
  ['palette', press('Escape', 'Control+k'), (page) => dialog(page).getByRole('option').first().waitFor()],
  [
    'split',
    async (page) => {
      await page.keyboard.press('Escape');
      await pick(/move messages to a new ticket/)(page);
    },
    (page) => dialog(page).getByRole('checkbox').first().waitFor(),
  ],
  ['help', press('Escape', 'Shift+?'), (page) => dialog(page).getByRole('searchbox').waitFor()],
];

export const pages: readonly Screen[] = [
  ['contacts', goTo('/c'), (page) => page.getByRole('list', { name: 'Contacts' }).getByRole('link').first().waitFor()],
  [
    'contact',
    async (page) => page.getByRole('list', { name: 'Contacts' }).getByRole('link', { name: /ann@/ }).click(),
    (page) => page.getByLabel('The other contact').waitFor(),
  ],
  [
    'merge of contacts',
    async (page) => {
      await page.getByLabel('The other contact').fill('jo@');
      await page.getByRole('button', { name: 'Merge with Jo (jo@example.org)' }).click();
    },
    (page) => page.getByText(/become part of/).waitFor(),
  ],
  [
    'erasure of a contact',
    async (page) => page.getByRole('button', { name: 'Erase person…' }).click(),
    (page) => page.getByRole('heading', { name: 'What stays' }).waitFor(),
  ],
  ['drafts', goTo('/drafts'), (page) => page.getByRole('heading', { level: 1 }).waitFor()],
  ['undelivered', goTo('/undelivered'), (page) => page.getByRole('heading', { level: 1 }).waitFor()],
  ['trash', goTo('/?trash=true'), (page) => page.getByRole('link', { name: /Thrown away/ }).waitFor()],
  ['spam', goTo('/?spam=true'), (page) => page.getByRole('link', { name: /You have won/ }).waitFor()],
  ['workspaces', goTo('/workspaces'), (page) => page.getByRole('heading', { level: 1 }).waitFor()],
  ['no such page', goTo('/nowhere'), (page) => page.getByRole('heading', { level: 1 }).waitFor()],
  ['new ticket', goTo('/new'), (page) => page.getByRole('button', { name: 'Bold' }).waitFor()],
];

export const settings = settingsSections.map(
  (section): Screen => [
    `settings of ${section}`,
    goTo(`/settings/${section}`),
    (page) => page.getByRole('heading', { level: 1 }).waitFor(),
  ],
);

export const signedOut: readonly Screen[] = ['/sign-in', '/register', '/forgot-password'].map((address) => [
  address,
  (page) => page.goto(address),
  (page) => page.getByRole('heading', { level: 1 }).waitFor(),
]);

/** A workspace with what the screens show. */
export async function fillScreens(house: House): Promise<Person> {
  const owner = await givePassword(house, await makeOwner(house), password);
  await owner.call('PATCH', '/v1/me', { name: 'Ada' });
  const jo = { From: 'Jo <jo@example.org>' };
  await ingest(house, owner, [
    mailOf({ headers: { ...jo, Subject: 'Brakes' } }),
    mailOf({ headers: { ...jo, Subject: 'Thrown away' } }),
    mailOf({ headers: { ...jo, Subject: 'You have won' } }),
    mailOf({ headers: html, body: htmlBody }),
  ]);
  const bulk = (search: string, change: object) =>
    owner.call('POST', '/tickets/bulk', { query: { search }, ...change });
  await bulk('brakes', { addTags: ['Fleet', 'Repair'], priority: 'high' });
  await bulk('thrown', { trash: true });
  await bulk('won', { spam: true });
  await house.drain();
  return owner;
}
