import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { allAsked, answerWith, askedFor, hold, tell } from '../../test/fake-api.ts';
import { openPage } from '../../test/page.tsx';
import { answerOf, idOf, rowOf as listed, type Ticket, ticketOf } from '../../test/records.ts';
import { headingOf, pressSequence, rewrite, rowOf, seeNoRow, seePath, seeRow, textBox } from '../../test/screen.ts';
import { workspaceWith } from '../../test/workspace.ts';

const { keyboard } = userEvent;

/** Tickets with these subjects, the last on top. */
const tickets = (...subjects: string[]) =>
  subjects.map((subject, at) => {
    const ticketNumber = at + 1;
    return ticketOf({ ticketNumber, subject, lastMessageAt: `2026-03-0${ticketNumber}T10:00:00.000Z` });
  });

const byAgent = { type: 'agent', userId: idOf('bob') };
const tellOf = (type: string, ticket: Ticket, more: object = {}) =>
  tell(type.startsWith('message') ? 'message' : 'ticket', {
    ...{ type, ticketId: ticket.id, actor: byAgent, ticket: listed(ticket) },
    ...more,
  });

test('the change of a colleague moves the row without a reload of the list', async () => {
  const [one, two] = tickets('One', 'Two');
  if (one === undefined || two === undefined) throw new Error('two tickets');
  await openPage('/', workspaceWith(one, two));
  await seeRow('Two');
  await seeRow('One');
  // The page reads once more, for changes that its live stream missed while opening.
  await expect.poll(() => askedFor('readStart').length).toBeGreaterThan(1);
  // Besides lists, the page asks once whether there are samples.
  const lists = () => askedFor('listTickets').filter(({ query }) => query.tags === undefined);
  const before = lists().length;
  tellOf('ticket.status_changed', { ...two, status: 'closed', version: 2 });
  await seeNoRow('Two');
  await seeRow('One');
  expect(
    lists()
      .slice(before)
      .map(({ query }) => query),
  ).toEqual([]);
});

test('a burst of events is shown completely, with a few requests instead of one for each event', async () => {
  const [busy] = tickets('Busy');
  if (busy === undefined) throw new Error('one ticket');
  await openPage('/t/1', workspaceWith(busy));
  await expect.element(headingOf('Busy')).toBeVisible();
  // The page reads once more, for changes that its live stream missed while opening.
  await expect.poll(() => askedFor('readStart').length).toBeGreaterThan(1);
  const begun = performance.now();
  const before = allAsked().length;
  const { messages } = busy;
  for (let at = 0; at < 50; at++) {
    messages.push(answerOf({ id: idOf(`note ${at}`), body: `Note ${at}`, isInternal: true }));
    const next = { ...busy, messages: [...messages], messageCount: messages.length, version: at + 2 };
    answerWith({ readTicketByNumber: () => next });
    tellOf('message.added', next, { messageId: idOf(`note ${at}`) });
    if (at % 2 === 0) continue;
    // So each two are a batch of their own.
    const count = rowOf('Busy').getByText(String(messages.length), { exact: true });
    await expect.poll(() => count.query(), { interval: 10 }).not.toBeNull();
  }
  await expect.poll(() => document.querySelectorAll('[data-message]').length).toBe(51);
  const seconds = (performance.now() - begun) / 1_000;
  // One request a second of each kind, besides some that were under way.
  for (const [id, requests] of Map.groupBy(allAsked().slice(before), (asked) => asked))
    expect([id, requests.length < seconds + 3]).toEqual([id, true]);
});

test('a search leads to its first line, and Escape out of an empty one to the commands', async () => {
  const workspace = workspaceWith(...tickets('Brakes', 'Saddle'));
  await openPage('/', workspace);
  await seeRow('Saddle');
  await keyboard('/Brakes');
  const found = (search: string) => (search === 'Brakes' ? [listed(ticketOf({ subject: 'Brakes' }))] : []);
  answerWith({
    listTickets: (asked) =>
      asked.query.search === undefined ? (workspace.listTickets?.(asked) ?? []) : found(asked.query.search),
  });
  await keyboard('{Enter}');
  await expect.element(rowOf('Brakes')).toHaveFocus();
  await keyboard('{Enter}');
  await expect.element(headingOf('Brakes')).toBeVisible();
  await keyboard('/Chain{Enter}');
  await expect.element(page.getByText('Nothing was found for')).toBeVisible();
  await expect.element(page.getByRole('combobox', { name: 'Search' })).toHaveFocus();
  await keyboard('{Escape}{Escape}gu');
  await expect.element(rowOf('Saddle')).toHaveFocus();
});

test('a key leads to a list and its first line, or to the page where the list is empty', async () => {
  await openPage('/', workspaceWith(...tickets('Brakes', 'Saddle')));
  await seeRow('Saddle');
  for (const key of ['u', 'i']) {
    await pressSequence('g', key);
    await expect.element(rowOf('Saddle')).toHaveFocus();
  }
  await pressSequence('g', 'm');
  await expect.element(page.getByRole('main')).toHaveFocus();
});

test('the undo of an answer that closed its ticket makes the row of that ticket current alone', async () => {
  await openPage('/t/2', workspaceWith(...tickets('Brakes', 'Saddle')));
  await expect.element(headingOf('Saddle')).toBeVisible();
  await rewrite('Done.');
  await keyboard('{Control>}{Shift>}{Enter}{/Shift}{/Control}');
  await expect.element(headingOf('Brakes')).toBeVisible();
  await keyboard('z');
  await expect.element(headingOf('Saddle')).toBeVisible();
  await expect.element(textBox).toHaveFocus();
  const current = () =>
    document.querySelectorAll('section[aria-label="Tickets"] :is(a[aria-current], a[tabindex="0"])');
  await expect
    .poll(() => [...current()].map(({ textContent }) => textContent))
    .toEqual([expect.stringContaining('Saddle')]);
});

test('a key changes the ticket of the focused row, and says so if there is none', async () => {
  await openPage('/', workspaceWith(...tickets('Brakes', 'Saddle')));
  await seeRow('Saddle');
  await keyboard('e');
  await expect.element(page.getByRole('status').getByText('Open a ticket first.')).toBeVisible();
  await keyboard('f');
  expect(textBox.query()).toBeNull();
  (rowOf('Saddle').element() as HTMLElement).focus();
  await keyboard('e');
  await seeNoRow('Saddle');
  await expect
    .poll(() => askedFor('changeTicketStatus').map(({ path, body }) => [path.ticketId, body.toStatus]))
    .toEqual([[idOf('t2'), 'closed']]);
});

test('the first tab stop leads past the sidebar', async () => {
  await openPage('/', workspaceWith(...tickets('Saddle')));
  await seeRow('Saddle');
  await keyboard('{Tab}{Enter}');
  await expect.element(page.getByRole('main')).toHaveFocus();
  await keyboard('{Tab}');
  const main = page.getByRole('main').element();
  expect(document.activeElement).not.toBe(main);
  expect(main.contains(document.activeElement)).toBe(true);
});

test('j and k show the neighbours of the open ticket without an answer of the service', async () => {
  await openPage('/t/5', workspaceWith(...tickets('One', 'Two', 'Three', 'Four', 'Five')));
  const shows = (subject: string) => expect.element(headingOf(subject)).toBeVisible();
  const warmed = () => askedFor('readTicketByNumber').map(({ path }) => path.ticketNumber);
  await shows('Five');
  await expect.poll(warmed).toEqual(expect.arrayContaining(['3', '4']));
  const release = hold('readTicketByNumber');
  await keyboard('j');
  await shows('Four');
  await keyboard('j');
  await shows('Three');
  await keyboard('k');
  await shows('Four');
  await expect.poll(() => warmed().filter((number) => number === '2')).toHaveLength(1);
  // Back at the top, the ticket below is no longer a neighbour.
  await keyboard('k');
  await shows('Five');
  const ofTwo = () => askedFor('readTicketByNumber').find(({ path }) => path.ticketNumber === '2');
  await expect.poll(() => ofTwo()?.signal.aborted).toBe(true);
  release();
});

test('keys pressed before a ticket loads change it afterwards, and typed text triggers no commands', async () => {
  const lists = hold('listTickets');
  const ticket = hold('readTicketByNumber');
  await openPage('/t/2', workspaceWith(...tickets('Below', 'Above')));
  const pane = page.getByRole('region', { name: 'Ticket', exact: true });
  await expect.element(pane.getByText('Loading')).toBeVisible();
  await keyboard('i');
  // The composer is requested first, so the next keys are text and not the commands s p, h and y.
  await keyboard('rsphy');
  lists();
  ticket();
  await expect.element(page.getByRole('button', { name: 'Assignee: Ada' })).toBeVisible();
  await expect.element(textBox).toBeVisible();
  expect(page.getByRole('dialog').query()).toBeNull();
  expect(askedFor('changeTicketStatus')).toEqual([]);
});

test('e closes a ticket that has not loaded yet', async () => {
  const lists = hold('listTickets');
  const ticket = hold('readTicketByNumber');
  await openPage('/t/2', workspaceWith(...tickets('Below', 'Above')));
  await expect.element(page.getByRole('region', { name: 'Ticket', exact: true }).getByText('Loading')).toBeVisible();
  await keyboard('e');
  lists();
  ticket();
  await expect.element(page.getByRole('status').getByText('#2 closed')).toBeVisible();
  await seeRow('Below');
  await seeNoRow('Above');
  await seePath('/t/1');
});
