import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import type { AnswerOf } from '../../test/fake-api.ts';
import { openPage } from '../../test/page.tsx';
import { ada, idOf, start, ticketOf } from '../../test/records.ts';
import { workspaceWith } from '../../test/workspace.ts';

const name = 'Repairs that have waited for a part since last week';
const view: AnswerOf<'listViews'>[number] = {
  ...{ id: idOf('view'), name, query: { tags: ['vip'] }, isShared: false, createdBy: ada.userId },
  ...{ createdAt: '2026-03-02T10:00:00.000Z', updatedAt: '2026-03-02T10:00:00.000Z' },
};

test('a long name leaves the tools in the list, and unsaved changes stand in lines of their own', async () => {
  await openPage(`/?tags=vip&sort=waitingSince&order=asc&view=${view.id}`, {
    ...workspaceWith(ticketOf({ tags: ['vip'] })),
    readStart: () => ({ ...start, views: [view] }),
    listViews: () => [view],
  });
  const list = page.getByRole('region', { name: 'Tickets' });
  await expect.element(list.getByText(name)).toBeVisible();
  await expect.element(list.getByText('Unsaved changes')).toBeVisible();
  const { left, right } = list.element().getBoundingClientRect();
  for (const button of list.getByRole('button').elements()) {
    const bounds = button.getBoundingClientRect();
    expect({ button: button.textContent, isInside: bounds.left >= left && bounds.right <= right }).toMatchObject({
      isInside: true,
    });
  }
  // As high as a line, and no higher.
  expect(list.getByRole('button', { name: 'Edit view' }).element().getBoundingClientRect().height).toBeLessThan(30);
});
