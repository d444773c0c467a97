import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { rowOf, useWebPages } from '../../pages/web-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

/** Where the focus is after each overlay, and what keys do there. */
import { putMailbox } from '../../worlds/put-mailbox.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

async function openInbox(...subjects: string[]) {
  const opened = await openPage();
  const owner = await register(opened.page);
  const { workspaceId } = owner;
  for (const Subject of subjects) await ingest(house, { workspaceId } as Person, [mailOf({ headers: { Subject } })]);
  await rowOf(opened.page, subjects.at(-1) ?? '').waitFor();
  return { ...opened, workspaceId, owner };
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const hasFocus = async (place: Locator) => (await place.and(place.page().locator(':focus')).count()) === 1;
const isWriting = (page: Page) =>
  page.evaluate(`document.activeElement.matches('[data-mode] :is(textarea, [contenteditable])')`);

// By a variable: the types of the page are not those of this test.
const registry = '../../../web/src/commands.ts';
const { commands }: { commands: Record<string, { keys: readonly string[] }> } = await import(registry);

const overlay = readFileSync(join(import.meta.dirname, '../../../web/src/shell/overlay.ts'), 'utf8');
/** A dialog has the name of its command. These commands open something else that covers the page. */
const withoutDialog = ['goNotifications', 'insertReply', 'help'];
const named = new Set([...overlay.matchAll(/'(\w+)'/g)].map(([, name]) => name).concat(withoutDialog));
const opening = Object.keys(commands).filter((id) => named.has(id));

const shownOver = (page: Page) =>
  page.locator('dialog:modal, [role="dialog"]:popover-open, [class*="picker"]:has(input)');

async function closeByEscape(page: Page): Promise<void> {
  await shownOver(page).first().waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => shownOver(page).count()).toBe(0);
}

/** Opens by the button of the command, or else by its line in a menu. @returns the button that has been pressed */
async function openByButton(page: Page, id: string): Promise<Locator> {
  const own = page.locator(`[data-command="${id}"]`).filter({ visible: true }).first();
  if ((await own.count()) > 0) {
    await own.click();
    return own;
  }
  for (const menu of [/^More actions/, /: your account$/]) {
    const button = page.getByRole('button', { name: menu }).first();
    await button.click();
    await page.getByRole('menuitem').first().waitFor();
    const line = page.locator(`[role="menuitem"][data-key="${id}"]`);
    if ((await line.count()) > 0) {
      await line.click();
      return button;
    }
    await page.keyboard.press('Escape');
  }
  throw new Error(`No button on this screen runs ${id}.`);
}

test('the focus returns to where it was after each command that opens something over the page', async () => {
  const { page, owner } = await openInbox('Brakes', 'Trashed', 'Saddle');
  const mailbox = { provider: 'mail-b', address: 'help@office.example', refreshToken: 'token' } as const;
  await putMailbox(house, { workspaceId: owner.workspaceId, ...mailbox });
  await owner.call('POST', '/saved-replies', { name: 'Thanks', body: 'Thank you.', isShared: true });
  expect(opening).toEqual(expect.arrayContaining(['palette', 'split', 'purge', 'bulkReply', ...withoutDialog]));
  const lost: string[] = [];
  const check = async (id: string, way: string, opener: Locator) => {
    await closeByEscape(page);
    if (!(await hasFocus(opener))) lost.push(`${id} by ${way}`);
  };
  /** These leave more behind than a dialog that Escape closes. */
  const special = ['purge', 'bulkReply', 'insertReply'];
  let isFresh = false;
  const reach = async (id: string) => {
    const wasFresh = isFresh;
    isFresh = !special.includes(id);
    if (isFresh && wasFresh) return;
    if (id === 'purge') {
      await rowOf(page, 'Trashed').click();
      await heading(page, 'Trashed').waitFor();
      const trashed = page.waitForResponse(/\/tickets\/bulk$/);
      await page.keyboard.press('#');
      await trashed;
      await page.goto('/t/2?trash=true');
      await page.locator('[data-command="purge"]').waitFor();
      return;
    }
    await page.goto('/t/3');
    await rowOf(page, 'Saddle').waitFor();
    await heading(page, 'Saddle').waitFor();
    if (id === 'bulkReply') {
      await rowOf(page, 'Saddle').focus();
      await page.keyboard.press('x');
      await page.locator('[data-command="bulkReply"]').waitFor();
    }
    if (id === 'insertReply') {
      await page.keyboard.press('r');
      await page.getByRole('toolbar', { name: 'Format' }).waitFor();
    }
  };
  for (const id of opening) {
    await reach(id);
    const [key] = commands[id]?.keys ?? [];
    if (key !== undefined) {
      await rowOf(page, 'Saddle').focus();
      for (const one of key.replace('$mod+k', 'Control+k').split(' ')) await page.keyboard.press(one);
      await check(id, 'key', rowOf(page, 'Saddle'));
    }
    if (id !== 'insertReply') await check(id, 'button', await openByButton(page, id));
    else {
      await page.getByRole('button', { name: /Insert a saved reply/ }).click();
      await closeByEscape(page);
      if (!(await isWriting(page))) lost.push('insertReply by button, to the text');
    }
  }
  expect(lost).toEqual([]);
});

test('a search and each way to a list by keys lead to its first line', async () => {
  const { page } = await openInbox('Brakes', 'Saddle');
  await page.keyboard.press('/');
  await page.keyboard.type('Brakes');
  await page.keyboard.press('Enter');
  await expect.poll(() => hasFocus(rowOf(page, 'Brakes'))).toBe(true);
  await page.keyboard.press('Enter');
  await heading(page, 'Brakes').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('Chain');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing was found for').waitFor();
  await expect.poll(() => hasFocus(page.getByRole('combobox', { name: 'Search' }))).toBe(true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  for (const key of ['u', 'i']) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await expect.poll(() => hasFocus(rowOf(page, 'Saddle'))).toBe(true);
  }
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('main');
});

test('r and n focus the text box, also when it is open and lost the focus', async () => {
  const { page } = await openInbox('Saddle');
  await rowOf(page, 'Saddle').click();
  await heading(page, 'Saddle').waitFor();
  for (const key of ['r', 'n', 'r']) {
    await page.keyboard.press(key);
    await expect.poll(() => isWriting(page)).toBe(true);
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press(key);
    await expect.poll(() => isWriting(page)).toBe(true);
    await page.evaluate('document.activeElement.blur()');
  }
});

test('a sent answer leaves the focus on the ticket, and its undo brings it to the text', async () => {
  const { page } = await openInbox('Saddle');
  await rowOf(page, 'Saddle').click();
  await heading(page, 'Saddle').waitFor();
  await page.keyboard.press('r');
  await expect.poll(() => isWriting(page)).toBe(true);
  await page.keyboard.type('On its way.');
  await page.keyboard.press('Control+Enter');
  await page.getByText(/Sending in/).waitFor();
  const isInTicket = () =>
    page.evaluate(`document.activeElement !== document.body && document.activeElement.closest('section') !== null`);
  expect(await isInTicket()).toBe(true);
  await page.keyboard.press('z');
  await expect.poll(() => isWriting(page)).toBe(true);
});

test('the undo of an answer that closed its ticket makes the row of that ticket current alone', async () => {
  const { page } = await openInbox('Brakes', 'Saddle');
  await rowOf(page, 'Saddle').click();
  await heading(page, 'Saddle').waitFor();
  await page.keyboard.press('r');
  await expect.poll(() => isWriting(page)).toBe(true);
  await page.keyboard.type('Done.');
  await page.keyboard.press('Control+Shift+Enter');
  await heading(page, 'Brakes').waitFor();
  await page.keyboard.press('z');
  await heading(page, 'Saddle').waitFor();
  await expect.poll(() => isWriting(page)).toBe(true);
  const tickets = page.getByRole('region', { name: 'Tickets', exact: true });
  const current = tickets.locator('a[aria-current], a[tabindex="0"]');
  await expect.poll(() => current.allTextContents()).toEqual([expect.stringContaining('Saddle')]);
});

test('a key changes the ticket of the focused row, and says so if there is none', async () => {
  const { page, workspaceId } = await openInbox('Brakes', 'Saddle');
  await page.locator('body').press('e');
  await page.getByRole('status').getByText('Open a ticket first.').waitFor();
  await page.locator('body').press('f');
  await rowOf(page, 'Saddle').focus();
  await page.keyboard.press('e');
  await rowOf(page, 'Saddle').waitFor({ state: 'detached' });
  // The row leaves at once, before the service has closed the ticket.
  const closed = async () => {
    const tickets = await page.request.get(`/v1/workspaces/${workspaceId}/tickets?status=closed`, {
      headers: { 'x-workspace-id': workspaceId },
    });
    return (await tickets.json()).map(({ subject }: { subject: string }) => subject);
  };
  await expect.poll(closed).toEqual(['Saddle']);
});

test('the first tab stop leads past the sidebar', async () => {
  const { page } = await openInbox('Saddle');
  await page.goto('/');
  await rowOf(page, 'Saddle').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await hasFocus(page.getByRole('main'))).toBe(true);
  await page.keyboard.press('Tab');
  expect(await hasFocus(page.getByRole('main').locator(':focus'))).toBe(true);
});

test('leaving a ticket for the list takes the focus along', async () => {
  const { page } = await openInbox('Brakes', 'Saddle');
  await rowOf(page, 'Saddle').click();
  await heading(page, 'Saddle').waitFor();
  const messages = page.getByRole('group', { name: 'Messages' });
  await messages.focus();
  await page.keyboard.press('u');
  await page.waitForURL(/\/(\?|$)/);
  await expect.poll(() => hasFocus(rowOf(page, 'Saddle'))).toBe(true);
});
