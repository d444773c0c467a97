import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answerWith, askedFor, hold, Refusal } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { answerOf, contact, rowOf as listed, mailboxOf, queued, start, ticketOf } from '../../../test/records.ts';
import { headingOf, rowOf, seePath, seeRow, seeText, textBox } from '../../../test/screen.ts';
import { workspaceWith } from '../../../test/workspace.ts';

const { keyboard } = userEvent;
const subject = page.getByLabelText('Subject');

test('Escape leads from a new ticket back to the ticket that was open, and its focus', async () => {
  await openPage('/', { ...workspaceWith(ticketOf({ subject: 'Brakes' })), listContacts: () => [contact] });
  await rowOf('Brakes').click();
  await expect.element(headingOf('Brakes')).toBeVisible();
  await keyboard('c');
  const to = page.getByRole('combobox', { name: 'To', exact: true });
  await to.fill('ann@');
  await expect.element(page.getByRole('option', { name: /Ann Example/ })).toBeVisible();
  await keyboard('{Enter}');
  const remove = page.getByRole('button', { name: /^Remove ann@/ });
  await expect.element(remove).toBeVisible();
  // The person chose a name, and sees it.
  await expect.poll(() => remove.element().parentElement?.textContent).toContain('Ann Example');
  await keyboard('{Escape}');
  await expect.element(headingOf('Brakes')).toBeVisible();
  await expect.element(rowOf('Brakes')).toHaveFocus();
});

test('a new ticket that is refused after its writer has left tells them, and keeps its text', async () => {
  const made = ticketOf({ ticketNumber: 7, subject: 'Recall of the rack' });
  await openPage('/', workspaceWith(made));
  await seeRow('Recall');
  const release = hold('createTicket');
  answerWith({
    createTicket: () => {
      throw new Refusal(403, 'auth.role_insufficient');
    },
  });
  const sendAndLeave = async (requests: number) => {
    await keyboard('{Control>}{Enter}{/Control}');
    await expect.poll(() => askedFor('createTicket')).toHaveLength(requests);
    (subject.element() as HTMLElement).focus();
    await keyboard('{Escape}');
    await expect.element(headingOf('New ticket')).not.toBeInTheDocument();
  };
  await keyboard('c');
  await page.getByRole('button', { name: 'Internal' }).click();
  await subject.fill('Recall of the rack');
  await textBox.fill('All of 2025.');
  await sendAndLeave(1);
  release();
  await expect
    .element(page.getByText('Your new ticket was not created. Refused: auth.role_insufficient'))
    .toBeVisible();
  await page.getByRole('button', { name: 'Show draft' }).click();
  await expect.element(headingOf('New ticket')).toBeVisible();
  await expect.element(subject).toHaveValue('Recall of the rack');
  await seeText('All of 2025.');
  // The next time it is made. The person is where they went, and hears of it.
  const again = hold('createTicket');
  answerWith({ createTicket: () => listed(made) });
  await page.getByRole('button', { name: 'Internal' }).click();
  await sendAndLeave(2);
  again();
  await expect.element(page.getByText('Ticket #7 was created')).toBeVisible();
  await seePath('/');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect.element(headingOf('Recall of the rack')).toBeVisible();
});

test.each([
  ['sent', 'Email in #7 sent'],
  ['failed', 'The email in #7 could not be sent'],
] as const)('the writer of a new ticket hears that its mail is %s', async (status, told) => {
  const mail = answerOf({ delivery: { ...queued(), status, nextAttemptAt: null } });
  const lastMessage = { id: mail.id, direction: 'outbound' as const, authorName: 'Ada', snippet: 'All of 2025.' };
  const made = ticketOf({ ticketNumber: 7, subject: 'Recall of the rack', lastMessage });
  await openPage('/new', {
    ...workspaceWith(made),
    listContacts: () => [],
    createTicket: () => listed(made),
    listMessages: () => ({ messages: [{ ...mail, snippet: 'All of 2025.' }], earlierCursor: null }),
  });
  await page.getByRole('combobox', { name: 'To', exact: true }).fill('ann@example.com');
  await keyboard('{Enter}');
  await subject.fill('Recall of the rack');
  await textBox.fill('All of 2025.');
  await keyboard('{Control>}{Enter}{/Control}');
  await expect.element(page.getByRole('status').getByText(told)).toBeVisible();
});

test.each(['mouse', 'keyboard'])(
  'the mail of a new ticket is scheduled by %s, and its undo gives a draft',
  async (by) => {
    const sendAt = new Date(Date.now() + 20 * 3_600_000).toISOString();
    const mail = answerOf({ delivery: { ...queued(), status: 'scheduled', nextAttemptAt: sendAt } });
    const made = ticketOf({ ticketNumber: 7, subject: 'Recall of the rack', messages: [mail] });
    await openPage('/new', {
      ...workspaceWith(made),
      listContacts: () => [],
      createTicket: () => listed(made),
      listMessages: () => ({ messages: [{ ...mail, snippet: 'All of 2025.' }], earlierCursor: null }),
      cancelMessage: () => mail,
    });
    await page.getByRole('combobox', { name: 'To', exact: true }).fill('ann@example.com');
    await keyboard('{Enter}');
    await subject.fill('Recall of the rack');
    const more = page.getByRole('button', { name: 'More ways to send' });
    await expect.element(more).toBeDisabled();
    await textBox.fill('All of 2025.');
    if (by === 'keyboard') await keyboard('{Control>}{Shift>}l{/Shift}{/Control}');
    else {
      await more.click();
      await page.getByRole('menuitem', { name: /Send later/ }).click();
    }
    const dialog = page.getByRole('dialog');
    await expect.element(dialog.getByRole('combobox', { name: 'Send later' })).toBeVisible();
    // There is nothing that the customer could reply to.
    expect(dialog.getByRole('checkbox').elements()).toEqual([]);
    await dialog.getByRole('option', { name: /Tomorrow/ }).click();
    await expect.poll(() => askedFor('createTicket')).toHaveLength(1);
    const body = askedFor('createTicket')[0]?.body;
    expect(body).toMatchObject({ sendEmail: true, unlessReplied: false });
    expect(body).not.toHaveProperty('sendAfterSeconds');
    expect(Date.parse(body?.sendAt ?? '')).toBeGreaterThan(Date.now());
    await expect.element(headingOf('Recall of the rack')).toBeVisible();
    await expect.element(page.getByText(/^The email in #7 is scheduled for/)).toBeVisible();
    await keyboard('z');
    await expect.poll(() => askedFor('cancelMessage').map(({ path }) => path.messageId)).toEqual([mail.id]);
    await expect.element(page.getByText('The email will not be sent. Its text is back in your draft.')).toBeVisible();
  },
);

test('an internal ticket leaves at no time', async () => {
  const made = ticketOf({ ticketNumber: 7, subject: 'Recall of the rack' });
  await openPage('/new', { ...workspaceWith(made), createTicket: () => listed(made) });
  await page.getByRole('button', { name: 'Internal' }).click();
  await subject.fill('Recall of the rack');
  await textBox.fill('All of 2025.');
  await expect.element(page.getByRole('button', { name: 'Create ticket' })).toBeEnabled();
  expect(page.getByRole('button', { name: 'More ways to send' }).elements()).toEqual([]);
  await keyboard('{Control>}{Shift>}l{/Shift}{/Control}');
  await keyboard('{Control>}{Enter}{/Control}');
  await expect.poll(() => askedFor('createTicket')).toHaveLength(1);
  await expect.element(headingOf('Recall of the rack')).toBeVisible();
  expect(page.getByRole('dialog').elements()).toEqual([]);
});

test('a mailbox with several addresses offers them, and the mail leaves from the chosen one', async () => {
  const [help, sales] = ['help@office.example', 'sales@office.example'];
  const mailbox = mailboxOf({ address: help, senders: [help, sales] });
  const made = ticketOf({ ticketNumber: 7, subject: 'Recall of the rack' });
  await openPage('/new', {
    ...workspaceWith(made),
    readStart: () => ({ ...start, mailboxes: [mailbox] }),
    listMailboxes: () => [mailbox],
    listContacts: () => [],
    createTicket: () => listed(made),
  });
  await page.getByRole('combobox', { name: 'To', exact: true }).fill('ann@example.com');
  await keyboard('{Enter}');
  await page.getByRole('button', { name: `From address: ${help}` }).click();
  await page.getByRole('menuitemradio', { name: sales }).click();
  await expect.element(page.getByRole('button', { name: `From address: ${sales}` })).toBeVisible();
  await subject.fill('Recall of the rack');
  await textBox.fill('All of 2025.');
  await keyboard('{Control>}{Enter}{/Control}');
  await expect.poll(() => askedFor('createTicket').map(({ body }) => body.fromAddress)).toEqual([sales]);
});

/** Whether the page keeps the browser from opening a file. */
const dropFile = () =>
  ['dragover', 'drop'].map((type) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['x'], 'x.txt'));
    return !document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  });

test.each(['/drafts', '/c'])('a file that falls on the page %s does not take its place', async (address) => {
  await openPage(address, { ...workspaceWith(), listContacts: () => [] });
  await expect.element(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect.poll(dropFile).toEqual([true, true]);
});
