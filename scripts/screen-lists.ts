import type { Page } from 'playwright-core';
import { firstTicket, type Screen } from './screen.ts';

/** Puts a ticket of the open list elsewhere, and shows that list. */
const after = (keys: string, address: string) => async (page: Page) => {
  // In the second look it lies there already.
  if ((await page.getByRole('region', { name: 'Tickets' }).locator('a[href^="/t/"]').count()) > 0) {
    await firstTicket(page);
    await page.keyboard.press(keys);
    await page.getByRole('button', { name: 'Undo' }).first().waitFor();
  }
  await page.goto(address);
  await firstTicket(page);
  // Says why the ticket is there and until when.
  await page.getByText(/for good on/).waitFor();
};

/** Begins a text on the next ticket. */
async function begin(page: Page, key: string, text: string): Promise<void> {
  await page.keyboard.press('Escape');
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('j');
  await page.getByRole('article').first().waitFor();
  await page.keyboard.press(key);
  const box = page.getByRole('textbox', { name: 'Text' });
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  await box.waitFor();
  await page.keyboard.type(text);
  await page.getByText('Saved', { exact: true }).waitFor();
}

/** Lists beside the inbox, and views. */
export const listScreens: readonly Screen[] = [
  { name: 'trash', address: '/?search=colour+chart', prepare: after('#', '/?trash=true') },
  { name: 'spam', address: '/?search=golden+bicycle', prepare: after('!', '/?spam=true') },
  {
    name: 'drafts',
    address: '/',
    isForOwner: true,
    prepare: async (page) => {
      const written = page.getByRole('list', { name: 'Drafts' }).getByText('second drawer');
      await page.goto('/drafts');
      await written.or(page.getByText('You have no drafts')).first().waitFor();
      // In the second look they lie there already.
      if (await written.isVisible()) return;
      await page.goto('/');
      await page.getByRole('region', { name: 'Tickets' }).getByRole('link').first().waitFor();
      await begin(page, 'r', 'Thank you for the picture. The fork is bent, so please do not ride it any further.');
      await begin(page, 'n', 'The spare part is in the second drawer.');
      await page.goto('/drafts');
      await written.waitFor();
    },
  },
  { name: 'undelivered', address: '/undelivered' },
  { name: 'scheduled', address: '/scheduled' },
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
