import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { askedFor, Refusal } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { answerOf, counts, idOf, queued, start, ticketOf } from '../../../test/records.ts';
import { rewrite, seeNothingWritten, textBox } from '../../../test/screen.ts';
import { workspaceWith } from '../../../test/workspace.ts';

const { keyboard } = userEvent;
const tomorrow = () => new Date(Date.now() + 20 * 3_600_000).toISOString();
const scheduled = () => ({ ...queued(), status: 'scheduled' as const, nextAttemptAt: tomorrow(), unlessReplied: true });
const answer = page.getByRole('article', { name: 'Message from Ada' });

test('an answer is scheduled from the menu of its button, and its ticket says that it waits', async () => {
  await openPage('/t/1', { ...workspaceWith(ticketOf()), cancelMessage: () => answerOf() });
  await rewrite('See you tomorrow.');
  await page.getByRole('button', { name: 'More ways to send' }).click();
  await page.getByRole('menuitem', { name: /Send later/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('option', { name: /Tomorrow/ })
    .click();
  await seeNothingWritten();
  await expect.poll(() => askedFor('appendMessage')).toHaveLength(1);
  const body = askedFor('appendMessage')[0]?.body;
  expect(body).toMatchObject({ body: 'See you tomorrow.', unlessReplied: true });
  expect(body).not.toHaveProperty('sendAfterSeconds');
  expect(Date.parse(body?.sendAt ?? '')).toBeGreaterThan(Date.now());
  await expect.element(page.getByText(/^The email in #1 is scheduled for/)).toBeVisible();
  await keyboard('z');
  await expect.poll(() => askedFor('cancelMessage')).toHaveLength(1);
  await expect.element(page.getByText('The email will not be sent. Its text is back in your draft.')).toBeVisible();
});

test('words choose the time, and the writer may have it sent although the customer replies', async () => {
  await openPage('/t/1', workspaceWith(ticketOf()));
  await rewrite('In two hours.');
  const press = () => keyboard('{Control>}{Shift>}l{/Shift}{/Control}');
  await press();
  await expect.element(page.getByRole('combobox', { name: 'Send later' })).toBeVisible();
  await keyboard('{Escape}');
  await expect.element(textBox).toHaveFocus();
  await press();
  await page.getByRole('checkbox', { name: 'Cancel it if the customer replies first' }).click();
  await page.getByRole('combobox', { name: 'Send later' }).fill('5 months');
  await expect.element(page.getByRole('dialog').getByText('At most 90 days ahead')).toBeVisible();
  await page.getByRole('combobox', { name: 'Send later' }).fill('2h');
  await page.getByRole('option', { name: /2h/ }).click();
  await expect.poll(() => askedFor('appendMessage').map(({ body }) => body)).toMatchObject([{ unlessReplied: false }]);
});

test('a scheduled answer is sent, changed and cancelled in its ticket', async () => {
  const message = answerOf({ delivery: scheduled() });
  const ticket = ticketOf({ messages: [...ticketOf().messages, message] });
  await openPage('/t/1', {
    ...workspaceWith(ticket),
    retryMessage: () => message,
    cancelMessage: () => message,
    rescheduleMessage: () => message,
  });
  await expect.element(answer.getByText(/^Scheduled for .*, unless the customer replies first$/)).toBeVisible();
  await answer.getByRole('button', { name: 'Change the time' }).click();
  await expect.element(page.getByRole('combobox', { name: 'Change the time' })).toBeVisible();
  await page.getByRole('option', { name: /In 3 hours/ }).click();
  await expect.poll(() => askedFor('rescheduleMessage')).toHaveLength(1);
  await answer.getByRole('button', { name: 'Send now' }).click();
  await expect.poll(() => askedFor('retryMessage')).toHaveLength(1);
  await expect.element(answer).toHaveFocus();
  await answer.getByRole('button', { name: 'Don’t send' }).click();
  await expect.poll(() => askedFor('cancelMessage')).toHaveLength(1);
  await expect.element(page.getByText('The email will not be sent. Its text is back in your draft.')).toBeVisible();
});

test('a ticket whose scheduled answer a colleague has just cancelled is read again', async () => {
  const message = answerOf({ delivery: scheduled() });
  await openPage('/t/1', {
    ...workspaceWith(ticketOf({ messages: [...ticketOf().messages, message] })),
    retryMessage: () => {
      throw new Refusal(409, 'message.not_scheduled');
    },
  });
  await expect.element(answer).toBeVisible();
  const reads = askedFor('readTicketByNumber').length;
  await answer.getByRole('button', { name: 'Send now' }).click();
  await expect.poll(() => askedFor('readTicketByNumber').length).toBeGreaterThan(reads);
});

test('the sidebar leads to what is scheduled, while there is something', async () => {
  const item = {
    ...{ id: idOf('scheduled'), ticketId: idOf('ticket'), ticketNumber: 1, subject: 'Lamp', snippet: 'It shines.' },
    ...{ authorUserId: null, authorName: 'Ada', to: ['ann@example.org'], cc: [], bcc: [] },
    ...{ sendAt: tomorrow(), unlessReplied: false, createdAt: tomorrow() },
  };
  const some = { ...counts, lists: { ...counts.lists, scheduled: { count: 1, isAtLeast: false } } };
  await openPage('/scheduled', {
    ...workspaceWith(ticketOf()),
    listScheduledMessages: () => ({ items: [item] }),
    cancelMessage: () => answerOf(),
    readCounts: () => some,
    readStart: () => ({ ...start, counts: some }),
  });
  const list = page.getByRole('list', { name: 'Scheduled' });
  await expect.element(list.getByText('#1 Lamp')).toBeVisible();
  await expect.element(list.getByText(/^Scheduled for [^,]*\d$/)).toBeVisible();
  await list.getByRole('button', { name: 'Don’t send, #1' }).click();
  await expect.poll(() => askedFor('cancelMessage')).toHaveLength(1);
});
