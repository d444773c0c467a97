import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { openPage } from '../../../test/page.tsx';
import { mailboxOf, start, ticketOf } from '../../../test/records.ts';
import { headingOf, seePath, seeRow } from '../../../test/screen.ts';
import { workspaceWith } from '../../../test/workspace.ts';

const { keyboard } = userEvent;
const dialog = page.getByRole('dialog');

/** The palette words these commands otherwise, or offers them only when there is something to do. */
const elsewhere = [
  ...['Command menu', 'Undo the merge', 'Delete for good', 'Add people in Cc', 'Reply with a saved reply'],
  ...['Discard draft', 'Reopen', 'Archive or unarchive', 'Move to the trash or restore', 'Mark as spam or not spam'],
];

const textsIn = (places: string) => [...document.querySelectorAll(places)].map(({ textContent }) => textContent);

test('each command can be clicked, and the palette finds commands, tickets and people', async () => {
  await openPage('/t/2', {
    ...workspaceWith(ticketOf({ subject: 'Brakes' }), ticketOf({ ticketNumber: 2, subject: 'Saddle' })),
    readStart: () => ({ ...start, mailboxes: [mailboxOf()] }),
    listMailboxes: () => [mailboxOf()],
    listContacts: () => [],
  });
  await seeRow('Brakes');
  await expect.element(headingOf('Saddle')).toBeVisible();
  await keyboard('?');
  const search = page.getByRole('searchbox', { name: 'Search shortcuts' });
  await expect.element(search).toBeVisible();
  const clickable = textsIn('dialog div:not([data-movement]) > dt');
  expect(clickable).toContain('Merge with another ticket');
  await search.fill('merge');
  await expect.poll(() => textsIn('dialog dt')).toEqual(['Merge with another ticket', 'Undo the merge']);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: /: your account$/ }).click();
  await page.getByRole('menuitem', { name: /^Command menu/ }).click();
  await expect.element(dialog.getByRole('option').first()).toBeVisible();
  const offered = textsIn('dialog [role="option"] [data-words]');
  expect(
    clickable.filter((words) => !/view \d/.test(words) && !elsewhere.includes(words) && !offered.includes(words)),
  ).toEqual([]);
  expect(offered).toEqual(expect.arrayContaining(['Archive', 'Move to the trash', 'Mark as spam']));
  await keyboard('assign{Enter}');
  await expect.element(page.getByRole('dialog', { name: /^Assign: #2/ })).toBeVisible();
  await keyboard('me{Enter}');
  await expect.element(page.getByRole('button', { name: 'Assignee: Ada' })).toBeVisible();
  await keyboard('{Control>}k{/Control}');
  await expect.element(dialog.getByRole('combobox')).toBeVisible();
  await keyboard('#1{Enter}');
  await expect.element(headingOf('Brakes')).toBeVisible();
  await seePath('/t/1');
});

/** Escape, and a key that comes before the browser tells that the dialog is closed. */
async function escapeAnd(key: KeyboardEventInit): Promise<void> {
  (dialog.element() as HTMLDialogElement).requestClose();
  // What the event of Escape has put off runs between the two keys, but no other event.
  await Promise.resolve();
  document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true }));
}

test('a command whose key follows Escape at once is not lost', async () => {
  await openPage('/t/1', workspaceWith(ticketOf()));
  await expect.element(headingOf('The printer hums')).toBeVisible();
  await keyboard('m');
  await expect.element(dialog.getByRole('combobox')).toBeVisible();
  await escapeAnd({ key: 'k', ctrlKey: true });
  await expect.element(page.getByRole('dialog', { name: 'Command menu' })).toBeVisible();
  await escapeAnd({ key: 't' });
  await expect.element(page.getByRole('dialog', { name: /^Change the tags/ })).toBeVisible();
  await keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();
});

test('the palette opens the pages of the settings to which people go often', async () => {
  await openPage('/', { ...workspaceWith(), listCalendars: () => [], listRules: () => [], listWebhooks: () => [] });
  await expect.element(page.getByRole('heading', { level: 1 })).toBeVisible();
  for (const [typed, path] of [
    ['business', '/settings/hours'],
    ['rules', '/settings/rules'],
  ] as const) {
    await keyboard('{Control>}k{/Control}');
    await expect.element(dialog.getByRole('combobox')).toBeVisible();
    await keyboard(typed);
    await keyboard('{Enter}');
    await seePath(path);
    await expect.element(dialog).not.toBeInTheDocument();
  }
});
