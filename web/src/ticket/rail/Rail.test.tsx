import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { axeFaults } from '../../../test/axe.ts';
import { askedFor, tell } from '../../../test/fake-api.ts';
import { drawAnew, openPage } from '../../../test/page.tsx';
import { answerOf, idOf, messageOf, rowOf, ticketOf } from '../../../test/records.ts';
import { workspaceWith } from '../../../test/workspace.ts';

const rail = page.getByRole('complementary', { name: 'Details' });
const { keyboard } = userEvent;

test('the rail shows the person and the properties, and is closed and opened by its key', async () => {
  const [older, newer] = [ticketOf({ subject: 'Older' }), ticketOf({ ticketNumber: 2, subject: 'Newer' })];
  await openPage('/t/2', workspaceWith(older, newer));
  await expect.element(rail.getByText('2 open of 2 tickets')).toBeVisible();
  await expect.element(rail.getByRole('link', { name: /Older/ })).toBeVisible();
  expect(rail.getByRole('link', { name: /Newer/ }).query()).toBeNull();
  const newest = ticketOf({ ticketNumber: 3, subject: 'Newest' });
  tell('ticket', { type: 'ticket.created', ticketId: newest.id, actor: { type: 'customer' }, ticket: rowOf(newest) });
  await expect.element(rail.getByText('3 open of 3 tickets')).toBeVisible();
  expect(await axeFaults()).toEqual([]);
  await keyboard('\\');
  await expect.element(rail).not.toBeInTheDocument();
  drawAnew();
  await expect.element(page.getByRole('heading', { level: 1, name: 'Newer' })).toBeVisible();
  expect(rail.query()).toBeNull();
  await keyboard('\\');
  await expect.element(rail).toHaveFocus();
  // The first stop is the person, then come the properties.
  await keyboard('{Tab}');
  await expect.element(rail.getByRole('link', { name: 'Ann Example' })).toHaveFocus();
  rail.getByRole('button', { name: 'Priority Normal' }).element().focus();
  await keyboard('{Enter}');
  await page.getByRole('dialog').getByRole('option', { name: 'High' }).click();
  await expect.element(rail.getByRole('button', { name: 'Priority High' })).toBeVisible();
  rail.getByRole('button', { name: 'Followers' }).element().focus();
  await keyboard('{Enter}');
  await expect.element(page.getByRole('status').getByText(/follow #2/)).toBeVisible();
});

test('the head is one row, however long the subject and however many the tags', async () => {
  const subject = `A question about ${'a very long subject '.repeat(12).trim()}`;
  const tags = ['business', 'delivery', 'a rather long tag', 'warranty', 'spare part'];
  await openPage('/t/1', workspaceWith(ticketOf({ subject, tags })));
  await expect.element(rail.getByText('spare part')).toBeVisible();
  const head = page
    .getByRole('article', { name: /^A question/ })
    .element()
    .querySelector(':scope > header');
  for (const width of [1440, 1280, 1100, 960, 800]) {
    await page.viewport(width, 800);
    const bounds = head?.getBoundingClientRect();
    expect({ width, height: bounds?.height }).toEqual({ width, height: 52 });
    const end = page.getByRole('button', { name: 'More actions' }).element().getBoundingClientRect();
    expect(end.right).toBeLessThanOrEqual(bounds?.right ?? 0);
  }
  await expect
    .element(page.getByRole('heading', { level: 1 }))
    .toHaveAttribute('title', expect.stringContaining(subject));
});

test('a narrow page lays the rail over the conversation, and shows the properties as chips', async () => {
  await openPage('/t/1', workspaceWith(ticketOf()));
  for (const width of [1024, 390]) {
    await page.viewport(width, 800);
    await expect.element(rail).not.toBeInTheDocument();
    const chips = page.getByRole('group', { name: 'Properties' });
    await expect.element(chips.getByRole('button', { name: 'Status Open' })).toBeVisible();
    const opener = page.getByRole('button', { name: width === 390 ? 'More actions' : 'Details' });
    await opener.click();
    if (width === 390) await page.getByRole('menuitem', { name: 'Show or hide the contact' }).click();
    await expect.element(rail).toHaveFocus();
    expect(Math.round(rail.element().getBoundingClientRect().width)).toBe(320);
    await keyboard('{Escape}');
    await expect.element(rail).not.toBeInTheDocument();
    if (width === 1024) await expect.element(opener).toHaveFocus();
  }
});

test('the menu of a ticket runs its commands by keyboard, and gives the focus back', async () => {
  const ticket = ticketOf();
  await openPage('/t/1', workspaceWith(ticket));
  const opener = page.getByRole('button', { name: 'More actions' });
  const menu = page.getByRole('menu', { name: 'More actions' });
  await expect.element(opener).toBeVisible();
  opener.element().focus();
  await keyboard('{Enter}');
  await expect.element(menu.getByRole('menuitem', { name: 'Forward' })).toBeVisible();
  expect(await axeFaults()).toEqual([]);
  // What the ticket does not allow is not offered.
  const offered = menu.getByRole('menuitem', { name: /Merge|Unarchive|Not spam/ });
  expect(offered.elements().map(({ textContent }) => textContent)).toEqual(['Merge with another ticketm']);
  await keyboard('{Escape}');
  await expect.element(menu).not.toBeInTheDocument();
  await expect.element(opener).toHaveFocus();
  await keyboard('{Enter}');
  const archive = menu.getByRole('menuitem', { name: 'Archive' });
  await expect.element(archive).toBeVisible();
  archive.element().focus();
  await keyboard('{Enter}');
  await expect.poll(() => askedFor('archiveTicket').map(({ path }) => path.ticketId)).toEqual([ticket.id]);
});

test('the menu of a message splits the ticket from there', async () => {
  const [second, third] = ['The second thing.', 'Still the second thing.'].map((body) =>
    answerOf({ id: idOf(body), body, isInternal: true }),
  );
  if (second === undefined || third === undefined) throw new Error('two notes');
  await openPage('/t/1', workspaceWith(ticketOf({ messages: [messageOf(), second, third] })));
  await expect.element(page.getByRole('article').getByText('Still the second thing.').first()).toBeVisible();
  await keyboard(';');
  const menu = page.getByRole('button', { name: 'More for this message' });
  await expect.poll(() => menu.elements().length).toBe(3);
  menu.nth(1).element().focus();
  await keyboard('{Enter}');
  const split = page.getByRole('menuitem', { name: 'Split from here' });
  await expect.element(split).toBeVisible();
  split.element().focus();
  await keyboard('{Enter}');
  const marked = page.getByRole('dialog').getByRole('checkbox');
  await expect
    .poll(() => marked.elements().map((box) => (box as HTMLInputElement).checked))
    .toEqual([false, true, true]);
});

test('a picker opens beside what was clicked, or beside its property when a key opens it', async () => {
  await openPage('/t/1', workspaceWith(ticketOf()));
  const dialog = page.getByRole('dialog');
  const property = rail.getByRole('button', { name: 'Priority Normal' });
  const assign = page.getByRole('button', { name: 'Assignee: Unassigned' });
  const openings = [
    [property, () => property.click()],
    [assign, () => assign.click()],
    [rail.getByRole('button', { name: 'Snooze' }), () => keyboard('h')],
  ] as const;
  for (const [button, open] of openings) {
    await expect.element(button).toBeVisible();
    await open();
    await expect.element(dialog.getByRole('option').first()).toBeVisible();
    // The animation makes it larger.
    await Promise.all(
      dialog
        .element()
        .getAnimations()
        .map(({ finished }) => finished),
    );
    const [near, shown] = [button, dialog].map((place) => place.element().getBoundingClientRect());
    if (near === undefined || shown === undefined) throw new Error('not on the screen');
    expect(Math.round(shown.top - near.bottom)).toBe(4);
    expect(shown.right).toBeGreaterThan(near.left);
    expect(shown.left).toBeLessThanOrEqual(near.left);
    expect(Math.round(shown.width)).toBe(256);
    // All pickers are one component.
    if (button === assign) expect(await axeFaults()).toEqual([]);
    await keyboard('{Escape}');
    await expect.element(dialog).not.toBeInTheDocument();
  }
  await assign.click();
  await dialog.getByRole('option', { name: /^Me/ }).click();
  await expect.element(page.getByRole('button', { name: 'Assignee: Ada' })).toHaveFocus();
  // On a phone it comes from below.
  await page.viewport(390, 800);
  await page.getByRole('button', { name: 'Status Open' }).click();
  await expect.element(dialog.getByRole('option').first()).toBeVisible();
  await expect
    .poll(() => {
      const { left, width, bottom } = dialog.element().getBoundingClientRect();
      return [left, width, bottom];
    })
    .toEqual([0, 390, 800]);
});
