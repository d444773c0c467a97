import { expect, test } from 'vitest';
import { type Locator, page, userEvent } from 'vitest/browser';
import { answerWith, Refusal } from '../../test/fake-api.ts';
import { openPage } from '../../test/page.tsx';
import { ticketOf } from '../../test/records.ts';
import { headingOf, seeRow } from '../../test/screen.ts';
import { workspaceWith } from '../../test/workspace.ts';

const { keyboard } = userEvent;
const toast = (text: string | RegExp) => page.getByRole('status').getByText(text);

async function openTicket(subject: string) {
  const ticket = ticketOf({ subject });
  await openPage('/t/1', workspaceWith(ticket));
  await expect.element(headingOf(subject)).toBeVisible();
  await seeRow(subject);
  return ticket;
}

test('a refused change is reverted with its reason', async () => {
  await openTicket('Refused');
  answerWith({
    changeTicketStatus: () => {
      throw new Refusal(403, 'auth.role_insufficient');
    },
  });
  await keyboard('e');
  await expect.element(toast('#1: Refused: auth.role_insufficient')).toBeVisible();
  await seeRow('Refused');
});

test('a colleague who was faster is named', async () => {
  const ticket = await openTicket('Overtaken');
  answerWith({
    changeTicketStatus: () => {
      throw new Refusal(412, 'ticket.version_mismatch', { currentVersion: 2 });
    },
    readTicket: () => ({ ...ticket, status: 'pending', version: 2 }),
    listTicketEvents: () => ({
      items: [
        {
          ...{ id: ticket.id, type: 'ticket.status_changed', data: { from: 'open', to: 'pending' } },
          ...{ actor: { type: 'agent', userId: null, name: 'Bob' }, createdAt: ticket.createdAt },
        },
      ],
    }),
  });
  await keyboard('e');
  await expect.element(toast(/Bob has changed #1/)).toBeVisible();
});

test('a refusal among the results of a bulk change takes back what the page said', async () => {
  await openTicket('Full');
  const tooMany = {
    ...{ path: 'body.addTags', key: 'too_many_tags', params: { limit: 50 } },
    message: 'must not have more than 50 different tags',
  };
  answerWith({
    changeTickets: ({ body: { ids = [] } }) => ({
      results: ids.map((id) => ({
        ...{ id, status: 400 },
        error: { key: 'request.invalid', params: { issues: [tooMany] }, fallbackMessage: 'The request is not valid.' },
      })),
    }),
  });
  await keyboard('t');
  await expect.element(page.getByRole('dialog').getByRole('combobox')).toBeVisible();
  await keyboard('one more{Enter}{Escape}');
  await expect.element(toast(/^#1: .*must not have more than 50 different tags/)).toBeVisible();
  await expect.element(toast(/#1 tagged/)).not.toBeInTheDocument();
});

function boxOf(place: Locator) {
  return place.element().getBoundingClientRect();
}

test('one toast stands in the middle of the conversation, above the composer and beside the list', async () => {
  await openPage('/t/2', workspaceWith(ticketOf({ subject: 'One' }), ticketOf({ ticketNumber: 2, subject: 'Two' })));
  await expect.element(headingOf('Two')).toBeVisible();
  const toasts = () =>
    [...document.querySelectorAll('[role="status"] div')].filter((one) => one.textContent?.includes('#2'));
  const [list, conversation, composer, rail] = [
    page.getByRole('region', { name: 'Tickets', exact: true }),
    page.getByRole('group', { name: 'Messages' }),
    page.getByRole('region', { name: 'Reply', exact: true }),
    page.getByRole('complementary', { name: 'Details' }),
  ];
  for (const width of [1440, 1280, 1024]) {
    await page.viewport(width, 800);
    await keyboard('w');
    await expect.element(toast(/follow/)).toBeVisible();
    const shown = () => (toasts()[0] as HTMLElement).getBoundingClientRect();
    // The animation moves it.
    await Promise.all(toasts().flatMap((one) => one.getAnimations().map(({ finished }) => finished)));
    // At a new width the composer takes its height after a moment.
    await expect.poll(() => boxOf(composer).top - shown().bottom).toBeGreaterThanOrEqual(0);
    const messages = boxOf(conversation);
    expect(shown().left).toBeGreaterThanOrEqual(boxOf(list).right);
    expect(Math.abs(shown().left + shown().right - messages.left - messages.right) / 2).toBeLessThan(2);
    if (width > 1099) expect(shown().right).toBeLessThanOrEqual(boxOf(rail).left);
  }
  // The next takes its place, and says how the change is undone.
  await keyboard('i');
  await expect.element(toast('#2 assigned')).toBeVisible();
  expect(toasts()).toHaveLength(1);
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expect.element(toast('#2 is back as it was')).toBeVisible();
  expect(toasts()).toHaveLength(1);
});
