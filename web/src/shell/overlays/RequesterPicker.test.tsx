import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { type Answers, askedFor, tell } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { contact, idOf, rowOf, type Ticket, ticketOf } from '../../../test/records.ts';
import { workspaceWith } from '../../../test/workspace.ts';

const { keyboard } = userEvent;
const rail = page.getByRole('complementary', { name: 'Details' });
const carlsEmail = 'carl@example.org';
const carl = { ...contact, id: idOf('carl'), email: carlsEmail, emails: [carlsEmail], name: 'Carl Example' };

/** As the service finds the contact of an address, or makes one. */
function requesterOf(email: string): Ticket['requester'] {
  const { id, name } = [contact, carl].find((known) => known.email === email) ?? { id: idOf(email), name: null };
  return { contactId: id, email, name };
}

function workspaceOf(): Answers {
  let ticket = ticketOf();
  return {
    ...workspaceWith(ticket),
    readTicketByNumber: () => ticket,
    readTicket: () => ticket,
    listContacts: ({ query: { search = '' } }) => [contact, carl].filter(({ email }) => email.startsWith(search)),
    updateTicket: ({ body }) => {
      ticket = { ...ticket, version: ticket.version + 1, requester: requesterOf(body.requester?.email ?? '') };
      return rowOf(ticket);
    },
  };
}

test('a contact becomes the requester, by mouse, and undo brings the former one back', async () => {
  await openPage('/t/1', workspaceOf());
  await rail.getByRole('button', { name: 'Requester Ann Example' }).click();
  const picker = page.getByRole('dialog', { name: 'Change the requester: #1' });
  await picker.getByRole('combobox').fill('carl');
  await picker.getByRole('option', { name: /Carl Example/ }).click();
  await expect.element(rail.getByRole('button', { name: 'Requester Carl Example' })).toBeVisible();
  await expect.element(page.getByText('Carl Example is now the requester of #1')).toBeVisible();
  await keyboard('z');
  await expect.element(rail.getByRole('button', { name: 'Requester Ann Example' })).toBeVisible();
  expect(askedFor('updateTicket').map(({ body }) => body)).toEqual([
    { requester: { email: 'carl@example.org' } },
    { requester: { email: 'ann@example.org' } },
  ]);
});

test('a new address becomes the requester, by keyboard', async () => {
  await openPage('/t/1', workspaceOf());
  const former = rail.getByRole('button', { name: 'Requester Ann Example' });
  await expect.element(former).toBeVisible();
  former.element().focus();
  await keyboard('{Enter}');
  const picker = page.getByRole('dialog', { name: 'Change the requester: #1' });
  await expect.element(picker.getByRole('combobox')).toHaveFocus();
  await keyboard('dora@example.org');
  await expect.element(picker.getByRole('option', { name: 'Use dora@example.org' })).toBeVisible();
  await keyboard('{Enter}');
  const shown = rail.getByRole('button', { name: 'Requester dora@example.org' });
  await expect.element(shown).toBeVisible();
  await expect.element(shown).toHaveFocus();
});

test('undo leaves the ticket to a colleague who has chosen somebody else since', async () => {
  await openPage('/t/1', workspaceOf());
  await rail.getByRole('button', { name: 'Requester Ann Example' }).click();
  await page.getByRole('option', { name: /Carl Example/ }).click();
  await expect.element(page.getByText('Carl Example is now the requester of #1')).toBeVisible();
  const ticket = rowOf(ticketOf({ version: 5, requester: requesterOf('dora@example.org') }));
  tell('ticket', { type: 'ticket.requester_changed', ticketId: ticket.id, actor: { type: 'agent' }, ticket });
  await expect.element(rail.getByRole('button', { name: 'Requester dora@example.org' })).toBeVisible();
  await keyboard('z');
  await expect.element(page.getByText('Somebody has changed #1, so your change was not made.')).toBeVisible();
  expect(askedFor('updateTicket')).toHaveLength(1);
});

test('choosing the requester once more says nothing, and leaves nothing to undo', async () => {
  await openPage('/t/1', workspaceOf());
  await rail.getByRole('button', { name: 'Requester Ann Example' }).click();
  await page.getByRole('option', { name: /Ann Example/ }).click();
  await expect.poll(() => askedFor('updateTicket')).toHaveLength(1);
  await keyboard('z');
  await expect.element(page.getByText('There is nothing to undo.')).toBeVisible();
  expect(page.getByText('is now the requester').query()).toBeNull();
});
