import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { askedFor } from '../../../test/fake-api.ts';
import { openPage } from '../../../test/page.tsx';
import { start, teamOf, ticketOf } from '../../../test/records.ts';
import { rowOf } from '../../../test/screen.ts';
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
  await expect.element(page.getByRole('article').getByText('Only Billing sees this')).toBeVisible();
  await expect.element(rowOf('Refund').getByText('Only Billing sees this')).toBeInTheDocument();
  await keyboard('z');
  await expect.element(rail.getByRole('button', { name: 'Team No team' })).toBeVisible();
  expect(askedFor('updateTicket').map(({ body }) => body)).toEqual([{ teamId: billing.id }, { teamId: null }]);
});
