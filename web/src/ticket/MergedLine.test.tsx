import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { axeFaults } from '../../test/axe.ts';
import { openPage } from '../../test/page.tsx';
import { ticketOf } from '../../test/records.ts';
import { workspaceWith } from '../../test/workspace.ts';

test('a merged ticket leads to the one that took it in, and offers to undo the merge', async () => {
  const target = ticketOf({ ticketNumber: 2, subject: 'The whole story' });
  const merged = ticketOf({ status: 'closed', mergedIntoId: target.id, messages: [] });
  await openPage('/t/1', { ...workspaceWith(merged, target), readTicket: () => target });
  await expect.element(page.getByText('This ticket was merged into another one.')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Undo the merge' })).toBeVisible();
  expect(await axeFaults()).toEqual([]);
  await page.getByRole('link', { name: 'Go to ticket #2' }).click();
  await expect.element(page.getByRole('heading', { level: 1, name: 'The whole story' })).toBeVisible();
});
