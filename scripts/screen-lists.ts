import type { Page } from 'playwright-core';
import { firstTicket, type Screen } from './screen.ts';

/** Puts a ticket of the open list elsewhere, and shows that list. */
const after = (keys: string, address: string) => async (page: Page) => {
  // In the second look it lies there already.
  if ((await page.locator('a[href^="/t/"]').count()) > 0) {
    await firstTicket(page);
    await page.keyboard.press(keys);
    await page.getByRole('button', { name: 'Undo' }).first().waitFor();
  }
  await page.goto(address);
  await firstTicket(page);
  // Says why the ticket is there and until when.
  await page.getByText(/for good on/).waitFor();
};

/** Begins a text on the next ticket, unless the look before has begun it. */
async function begin(page: Page, key: string, text: string): Promise<void> {
  await page.keyboard.press('Escape');
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('j');
  await page.getByRole('article').first().waitFor();
  await page.keyboard.press(key);
  const box = page.getByRole('textbox', { name: 'Text' });
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  if ((await box.textContent()) === '') await page.keyboard.type(text);
  await page.getByText('Saved', { exact: true }).waitFor();
}

/** Lists beside the inbox, and views. */
export const listScreens: readonly Screen[] = [
  { name: 'trash', address: '/?search=colour+chart', prepare: after('#', '/?trash=true') },
  { name: 'spam', address: '/?search=spring+catalogue', prepare: after('!', '/?spam=true') },
  {
    name: 'drafts',
    address: '/',
    isForOwner: true,
    prepare: async (page) => {
      await begin(page, 'r', 'Thank you for the picture. The fork is bent, so please do not ride it any further.');
      await begin(page, 'n', 'The spare part is in the second drawer.');
      await page.goto('/drafts');
      await page.getByRole('list', { name: 'Drafts' }).getByText('second drawer').waitFor();
    },
  },
  { name: 'undelivered', address: '/undelivered' },
  {
    name: 'view',
    address: '/?tags=service',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Save as view' }).click();
      await page.getByLabel('Name').fill('Repairs that wait');
      await page.getByLabel('Share with everyone').check();
    },
  },
  {
    name: 'contact-merge',
    address: '/c',
    isForOwner: true,
    prepare: async (page) => {
      await page.getByRole('list', { name: 'Contacts' }).getByRole('link').first().click();
      await page.getByLabel('The other contact').fill('a');
      await page
        .getByRole('button', { name: /^Merge with/ })
        .first()
        .click();
      await page.getByText(/become part of/).waitFor();
    },
  },
  {
    name: 'contact-erase',
    address: '/c',
    isForOwner: true,
    prepare: async (page) => {
      await page.getByRole('list', { name: 'Contacts' }).getByRole('link').first().click();
      await page.getByRole('button', { name: 'Erase person…' }).click();
      await page.getByRole('heading', { name: 'What stays' }).waitFor();
    },
  },
];
