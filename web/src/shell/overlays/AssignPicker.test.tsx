import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answerWith, askedFor, Refusal } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { rowOf as listed, start, teamOf, ticketOf } from '../../../test/records.ts';
import { rowOf, seeNoRow } from '../../../test/screen.ts';
import { workspaceWith } from '../../../test/workspace.ts';

const { keyboard } = userEvent;
const rail = page.getByRole('complementary', { name: 'Details' });
const billing = teamOf({ name: 'Billing', visibility: 'members' });
const depot = teamOf({ name: 'Depot', archivedAt: '2026-01-01T00:00:00.000Z' });

test('a ticket goes to a team, by keyboard, says who sees it, and comes back by undo', async () => {
  const teams = [billing, depot];
  const answers = workspaceWith(ticketOf({ subject: 'Refund' }));
  await openPage('/t/1', { ...answers, readStart: () => ({ ...start, teams }), listTeams: () => teams });
  await expect.element(rail.getByRole('button', { name: 'Team No team' })).toBeVisible();
  await keyboard('a');
  const picker = page.getByRole('dialog', { name: 'Assign: #1' });
  await expect.element(picker.getByRole('combobox')).toHaveFocus();
  await expect.element(picker.getByRole('option', { name: 'Depot' })).not.toBeInTheDocument();
  await keyboard('bill');
  await expect.element(picker.getByRole('option', { name: /Billing/ })).toBeVisible();
  await keyboard('{Enter}');
  await expect.element(rail.getByRole('button', { name: 'Team Billing' })).toBeVisible();
  await expect.element(page.getByRole('article').getByText('For Billing only')).toBeVisible();
  await expect.element(rowOf('Refund').getByText('For Billing only')).toBeInTheDocument();
  await keyboard('z');
  await expect.element(rail.getByRole('button', { name: 'Team No team' })).toBeVisible();
  expect(askedFor('updateTicket').map(({ body }) => body)).toEqual([{ teamId: billing.id }, { teamId: null }]);
});

test('a ticket that goes to a team which hides it from the person leaves the screen, and a toast says why', async () => {
  const teams = [{ ...billing, isMember: false }];
  const ticket = ticketOf({ subject: 'Refund' });
  await openPage('/t/1', {
    ...workspaceWith(ticket),
    readStart: () => ({ ...start, teams }),
    updateTicket: () => {
      answerWith({
        readTicketByNumber: () => {
          throw new Refusal(404, 'ticket.not_found');
        },
      });
      return { ...listed(ticket), version: 2, teamId: billing.id, isHidden: true };
    },
  });
  await rail.getByRole('button', { name: 'Team No team' }).click();
  await page
    .getByRole('dialog')
    .getByRole('option', { name: /Billing/ })
    .click();
  await expect.element(page.getByText('#1 went to a team whose tickets you do not see.')).toBeVisible();
  await expect.element(page.getByRole('alert').getByText(/There is no ticket/)).toBeVisible();
  await seeNoRow('Refund');
});
