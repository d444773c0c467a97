import { expect, test } from 'vitest';
import { type Locator, page, userEvent } from 'vitest/browser';
import { openPage } from '../../../test/page.tsx';
import { mailboxOf, start, ticketOf } from '../../../test/records.ts';
import { headingOf, pressSequence, rowOf, seeRow, textBox } from '../../../test/screen.ts';
import { workspaceWith } from '../../../test/workspace.ts';
import { type Command, type CommandId, commands } from '../../commands.ts';
import overlay from '../overlay.ts?raw';

const { keyboard } = userEvent;

/** A dialog has the name of its command. These commands open something else that covers the page. */
const withoutDialog = ['goNotifications', 'insertReply', 'help'];
const named = new Set([...overlay.matchAll(/'(\w+)'/g)].map(([, name]) => name).concat(withoutDialog));
/** One that needs a text in the composer is tried there. */
const opening = (Object.keys(commands) as CommandId[]).filter((id) => named.has(id) && id !== 'sendLater');

const shownOver = () =>
  document.querySelectorAll('dialog:modal, [role="dialog"]:popover-open, [class*="picker"]:has(input)').length;

async function closeByEscape(): Promise<void> {
  await expect.poll(shownOver).toBeGreaterThan(0);
  await keyboard('{Escape}');
  await expect.poll(shownOver).toBe(0);
}

const buttonOf = (id: CommandId) =>
  [...document.querySelectorAll<HTMLElement>(`[data-command="${id}"]`)].find((button) => button.checkVisibility());

/** Opens by the button of the command, or else by its line in a menu. @returns the button that has been pressed */
async function openByButton(id: CommandId): Promise<HTMLElement | SVGElement> {
  const own = buttonOf(id);
  if (own !== undefined) {
    await userEvent.click(own);
    return own;
  }
  for (const menu of [/^More actions/, /: your account$/]) {
    const button = page.getByRole('button', { name: menu }).first();
    await button.click();
    await expect.element(page.getByRole('menuitem').first()).toBeVisible();
    const line = document.querySelector(`[role="menuitem"][data-key="${id}"]`);
    if (line !== null) {
      await userEvent.click(line);
      return button.element();
    }
    await keyboard('{Escape}');
  }
  throw new Error(`No button on this screen runs ${id}.`);
}

/** These need another page than that of a ticket, or more than a page. */
const special = ['purge', 'bulkReply', 'insertReply'];
const workspace = () => ({
  ...workspaceWith(
    ticketOf({ subject: 'Brakes' }),
    ticketOf({ ticketNumber: 2, subject: 'Trashed', trashedAt: '2026-03-02T11:00:00.000Z' }),
    ticketOf({ ticketNumber: 3, subject: 'Saddle' }),
  ),
  readStart: () => ({ ...start, mailboxes: [mailboxOf()] }),
  listMailboxes: () => [mailboxOf()],
});

async function reach(id: CommandId): Promise<void> {
  if (id === 'purge') {
    await openPage('/t/2?trash=true', workspace());
    await seeRow('Trashed');
    await expect.poll(() => buttonOf(id)).toBeDefined();
    return;
  }
  await openPage('/t/3', workspace());
  await seeRow('Saddle');
  await expect.element(headingOf('Saddle')).toBeVisible();
  if (id === 'bulkReply') {
    focus(rowOf('Saddle'));
    await keyboard('x');
    await expect.poll(() => buttonOf(id)).toBeDefined();
  }
  if (id === 'insertReply') {
    await keyboard('r');
    await expect.element(page.getByRole('toolbar', { name: 'Format' })).toBeVisible();
  }
}

function focus(place: Locator): void {
  (place.element() as HTMLElement).focus();
}

test('the commands that open something over the page are known', () => {
  expect(opening).toEqual(expect.arrayContaining(['palette', 'split', 'purge', 'bulkReply', ...withoutDialog]));
});

test.each(opening)('the focus returns to where it was after %s', async (id) => {
  await reach(id);
  const row = rowOf(id === 'purge' ? 'Trashed' : 'Saddle');
  const { keys }: Command = commands[id];
  const [key] = keys;
  if (key !== undefined && !special.includes(id)) {
    focus(row);
    await pressSequence(...key.replace('$mod+k', '{Control>}k{/Control}').split(' '));
    await closeByEscape();
    await expect.element(row).toHaveFocus();
  }
  if (id === 'insertReply') {
    await page.getByRole('button', { name: /Insert a saved reply/ }).click();
    await closeByEscape();
    await expect.element(textBox).toHaveFocus();
  } else {
    const button = await openByButton(id);
    await closeByEscape();
    await expect.poll(() => document.activeElement).toBe(button);
  }
});
