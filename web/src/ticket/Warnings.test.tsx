import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { askedFor } from '../../test/fake-api.ts';
import { openPage } from '../../test/page.tsx';
import { ada, idOf, messageOf, rowOf, ticketOf } from '../../test/records.ts';
import { workspaceWith } from '../../test/workspace.ts';

test('a forwarded mail says who forwarded it, and offers to make that member the requester', async () => {
  const forwarded = messageOf({ id: idOf('m1'), isSenderKnown: false, forwardedBy: ada.userId });
  let ticket = ticketOf({ messages: [forwarded] });
  await openPage('/t/1', {
    ...workspaceWith(ticket),
    readTicketByNumber: () => ticket,
    readTicket: () => ticket,
    updateTicket: () => {
      const requester = { contactId: idOf('contact of ada'), email: ada.email, name: ada.name };
      ticket = { ...ticket, requester, version: 2 };
      return rowOf(ticket);
    },
  });
  await expect.element(page.getByText('Forwarded by Ada. Nothing proves that Ann Example wrote it.')).toBeVisible();
  expect(page.getByText('This sender did not take part').query()).toBeNull();
  const offer = page.getByRole('button', { name: 'Make Ada the requester' });
  await offer.click();
  await expect
    .poll(() => askedFor('updateTicket').map(({ body }) => body))
    .toEqual([{ requester: { email: ada.email } }]);
  await expect.element(offer).not.toBeInTheDocument();
  await expect.element(page.getByText('Ada is now the requester of #1')).toBeVisible();
});
