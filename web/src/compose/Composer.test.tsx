import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { type Answers, answerWith, askedFor, hold, Refusal, tell } from '../../test/fake-api.ts';
import { openPage } from '../../test/page.tsx';
import {
  answerOf,
  idOf,
  type Message,
  mailboxOf,
  messageOf,
  queued,
  rowOf,
  start,
  ticketOf,
} from '../../test/records.ts';
import {
  headingOf,
  rewrite,
  seeNothingWritten,
  seePath,
  seeText,
  rowOf as shownRow,
  textBox,
} from '../../test/screen.ts';
import { workspaceWith } from '../../test/workspace.ts';

const { keyboard } = userEvent;
const send = page.getByRole('button', { name: 'Send', exact: true });
const undo = page.getByRole('button', { name: 'Undo' });
const answer = page.getByRole('article', { name: 'Message from Ada' });
const sent = () => askedFor('appendMessage').map(({ body }) => body);

test('an answer waits if its customer has written meanwhile, and is sent when its writer confirms', async () => {
  const ticket = ticketOf();
  await openPage('/t/1', workspaceWith(ticket));
  await rewrite('Try this.');
  const newer = messageOf({ id: idOf('newer'), body: 'It works again.' });
  const next = ticketOf({ messages: [...ticket.messages, newer], version: 2 });
  answerWith({ readTicketByNumber: () => next });
  tell('message', {
    ...{ type: 'message.added', ticketId: ticket.id, messageId: newer.id },
    ...{ actor: { type: 'customer' }, ticket: rowOf(next) },
  });
  await expect.element(page.getByText('Ann Example has written in the meantime.')).toBeVisible();
  await send.click();
  const alert = page.getByRole('alert');
  await expect.element(alert.getByText('Your reply has not been sent yet.')).toBeVisible();
  await expect.element(alert.getByText('It works again.')).toBeVisible();
  expect(sent()).toEqual([]);
  await keyboard('{Control>}{Shift>}l{/Shift}{/Control}');
  await expect.element(page.getByRole('button', { name: 'Schedule anyway' })).toBeVisible();
  await send.click();
  await page.getByRole('button', { name: 'Send anyway' }).click();
  await seeNothingWritten();
  expect(sent()).toMatchObject([{ body: 'Try this.', lastSeenMessageId: newer.id }]);
});

test('an answer is in its ticket before the service has it, once, and causes few requests afterwards', async () => {
  await openPage('/t/1', workspaceWith(ticketOf()));
  await rewrite('Here already');
  await expect.element(page.getByText('Saved', { exact: true })).toBeVisible();
  const release = hold('appendMessage');
  const lists = () => askedFor('listTickets').filter(({ query }) => query.tags === undefined);
  const others = () =>
    (['listMembers', 'listViews', 'listMailboxes', 'readStart'] as const).map((id) => askedFor(id).length);
  const reads = () => [lists().length, ...others()];
  // The page reads once more, for changes that its live stream missed while opening.
  await expect.poll(() => askedFor('readStart').length).toBeGreaterThan(1);
  const before = reads();
  const readsOfTicket = askedFor('readTicketByNumber').length;
  await keyboard('{Control>}{Enter}{/Control}');
  await expect.element(answer.getByText(/^Sending in/)).toBeVisible();
  await expect.element(answer.getByText('Here already')).toBeVisible();
  expect(answer.getByRole('button', { name: 'Send now' }).query()).toBeNull();
  release();
  await expect.element(answer.getByRole('button', { name: 'Send now' })).toBeVisible();
  expect(answer.elements()).toHaveLength(1);
  await expect.poll(() => askedFor('readTicketByNumber').length).toBeGreaterThan(readsOfTicket);
  expect(reads()).toEqual(before);
});

test('a refused answer goes from its ticket back to the composer', async () => {
  await openPage('/t/1', workspaceWith(ticketOf()));
  await rewrite('Not today');
  const release = hold('appendMessage');
  answerWith({
    appendMessage: () => {
      throw new Refusal(403, 'auth.role_insufficient');
    },
  });
  await keyboard('{Control>}{Enter}{/Control}');
  await expect.element(answer).toBeVisible();
  await seeNothingWritten();
  release();
  await expect.element(answer).not.toBeInTheDocument();
  await seeText('Not today');
  await expect.element(page.getByRole('alert').getByText('Refused: auth.role_insufficient')).toBeVisible();
});

test('an undo shows its ticket at once, but does not lead away from text written since', async () => {
  await openPage(
    '/t/1',
    workspaceWith(ticketOf({ ticketNumber: 2, subject: 'Next' }), ticketOf({ subject: 'Undone' })),
  );
  await rewrite('Taken back');
  const [letMessagePass, letCancelPass] = [hold('appendMessage'), hold('cancelMessage')];
  await keyboard('{Control>}{Shift>}{Enter}{/Shift}{/Control}');
  await shownRow('Next').click();
  await seePath('/t/2');
  await keyboard('z');
  await seePath('/t/1');
  letMessagePass();
  await expect.element(page.getByRole('article').getByText('Closed', { exact: true }).first()).toBeVisible();
  await shownRow('Next').click();
  await expect.element(headingOf('Next')).toBeVisible();
  await rewrite('Here');
  letCancelPass();
  await expect.element(page.getByText('The reply in #1 was not sent.')).toBeVisible();
  await seePath('/t/2');
  await keyboard(' and there');
  await seeText('Here and there');
  await shownRow('Undone').click();
  await seeText('Taken back');
});

test('an answer that the live stream brings before its confirmation is undone once', async () => {
  const ticket = ticketOf();
  await openPage('/t/1', workspaceWith(ticket));
  await rewrite('Too {Control>}b{/Control}soon');
  const html = () => textBox.query()?.innerHTML;
  const before = html();
  expect(before).toContain('<strong>soon</strong>');
  const confirm = hold('appendMessage');
  await keyboard('{Control>}{Enter}{/Control}');
  await expect.poll(sent).toHaveLength(1);
  const told = answerOf({ id: idOf('told'), body: 'Too soon', delivery: queued() });
  const cancelled = { ...told, delivery: { ...queued(), status: 'cancelled' as const } };
  const nextWith = (message: Message) => ticketOf({ messages: [...ticket.messages, message], version: 2 });
  answerWith({
    readTicketByNumber: () => nextWith(askedFor('cancelMessage').length === 0 ? told : cancelled),
    appendMessage: () => told,
    cancelMessage: () => cancelled,
  });
  tell('message', {
    ...{ type: 'message.added', ticketId: ticket.id, messageId: told.id },
    ...{ actor: { type: 'agent' }, ticket: rowOf(nextWith(told)) },
  });
  // Only what the service has can be sent now.
  await expect.element(answer.getByRole('button', { name: 'Send now' })).toBeVisible();
  // Twice, as an impatient person does.
  for (let click = 0; click < 2; click++) await answer.getByRole('button', { name: 'Undo' }).click();
  confirm();
  await expect.poll(html).toBe(before);
  await expect.element(page.getByText('Saved', { exact: true })).toBeVisible();
  expect(askedFor('cancelMessage').map(({ path }) => path.messageId)).toEqual([told.id]);
  (document.activeElement as HTMLElement).blur();
  await keyboard('z');
  await expect.element(page.getByRole('status').getByText('There is nothing to undo.')).toBeVisible();
  expect(html()).toBe(before);
});

test('an undone answer is a quiet line, and its text is shown on demand', async () => {
  await openPage('/t/1', workspaceWith(ticketOf()));
  await rewrite('An answer too soon.');
  await send.click();
  await expect.element(undo.first()).toBeVisible();
  // The focus has left the text, so that single keys are commands.
  await keyboard('z');
  await seeText('An answer too soon.');
  await expect.element(page.getByText('Undone before sending · Ada')).toBeVisible();
  expect(answer.query()).toBeNull();
  await page.getByRole('button', { name: 'Show the text' }).click();
  await expect.element(answer.getByText('An answer too soon.')).toBeVisible();
});

test('a key turns an answer into a note, which names a colleague', async () => {
  await openPage('/t/1', workspaceWith(ticketOf()));
  await rewrite('Can you look ');
  await keyboard('{Control>}{Shift>}.{/Shift}{/Control}');
  await expect.element(page.getByRole('button', { name: 'Add note' })).toBeVisible();
  await keyboard('@ad');
  await expect.element(page.getByRole('option', { name: 'Ada' })).toBeVisible();
  await keyboard('{Enter}?{Control>}{Enter}{/Control}');
  await expect
    .poll(sent)
    .toMatchObject([
      { body: expect.stringMatching(/^Can you look @\[Ada\]\(user:[0-9a-f-]{36}\) \?$/), isInternal: true },
    ]);
  await expect.element(answer.getByText('@Ada')).toBeVisible();
});

test('r and n focus the text box, also when it is open and lost the focus', async () => {
  await openPage('/t/1', workspaceWith(ticketOf()));
  await expect.element(headingOf('The printer hums')).toBeVisible();
  for (const key of ['r', 'n', 'r']) {
    for (const _ of ['closed or another', 'open']) {
      await keyboard(key);
      await expect.element(textBox).toHaveFocus();
      (document.activeElement as HTMLElement).blur();
    }
  }
});

test('a sent answer leaves the focus on the ticket, and its undo brings it to the text', async () => {
  await openPage('/t/1', workspaceWith(ticketOf()));
  await expect.element(headingOf('The printer hums')).toBeVisible();
  await keyboard('r');
  await expect.element(textBox).toHaveFocus();
  await keyboard('On its way.{Control>}{Enter}{/Control}');
  await expect.element(page.getByText(/Sending in/)).toBeVisible();
  expect(document.activeElement).not.toBe(document.body);
  expect(document.activeElement?.closest('section')).not.toBeNull();
  await keyboard('z');
  await expect.element(textBox).toHaveFocus();
});

const withMailbox = (mailbox: ReturnType<typeof mailboxOf>): Answers => ({
  readStart: () => ({ ...start, mailboxes: [mailbox] }),
  listMailboxes: () => [mailbox],
});

test('the address from which an answer leaves is the one to which the customer wrote, or chosen', async () => {
  const [help, sales] = ['help@office.example', 'sales@office.example'];
  const mailbox = mailboxOf({ address: help, senders: [help, sales] });
  const ticket = ticketOf({ mailboxId: mailbox.id, messages: [messageOf({ to: ['Sales+x@office.example'] })] });
  await openPage('/t/1', { ...workspaceWith(ticket), ...withMailbox(mailbox) });
  await rewrite('Try this.');
  await page.getByRole('button', { name: `From: ${sales}` }).click();
  await page.getByRole('menuitemradio', { name: help }).click();
  await expect.element(page.getByRole('button', { name: `From: ${help}` })).toBeVisible();
  await send.click();
  await expect.poll(() => sent().map(({ fromAddress }) => fromAddress)).toEqual([help]);
});

test('a mailbox with one address offers no choice', async () => {
  const mailbox = mailboxOf();
  await openPage('/t/1', { ...workspaceWith(ticketOf({ mailboxId: mailbox.id })), ...withMailbox(mailbox) });
  await rewrite('Try this.');
  await expect.element(page.getByText(`From ${mailbox.address}`)).toBeVisible();
  expect(page.getByRole('button', { name: /^From:/ }).query()).toBeNull();
  await send.click();
  await expect.poll(() => sent().map(({ fromAddress }) => fromAddress)).toEqual([undefined]);
});
