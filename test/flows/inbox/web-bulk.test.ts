import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sql } from '../../../src/ground/database/sql.ts';
import { useHouse } from '../../harness/harness.ts';
import { useWebPages } from '../../pages/web-pages.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

/** More than a list loads at once. */
const count = 120;

async function plant(workspaceId: string): Promise<void> {
  await house.app.db.tx((tx) =>
    tx.run(sql`
      insert into tickets (workspace_id, id, ticket_number, subject, status, priority, priority_rank, channel,
        message_count, last_message_at, created_at, updated_at, version, summary_version, search)
      select ${workspaceId}, gen_random_uuid(), n, 'Ticket ' || n, 'open', 'normal', 2, 'api', 0,
        now() - make_interval(mins => n), now(), now(), 1, 1, ''
      from generate_series(1, ${count}) n`),
  );
}

const openCount = async (workspaceId: string): Promise<number> =>
  (
    await house.app.db.one<{ count: number }>(sql`
      select count(*) as count from tickets where workspace_id = ${workspaceId} and status = 'open'`)
  ).count;

/** Works in the background until so many tickets are open. */
async function work(workspaceId: string, open: number): Promise<void> {
  while ((await openCount(workspaceId)) !== open) await house.drain();
  await house.drain();
}

const rows = (page: Page) => page.locator('[data-ticket]');

test('all tickets that match are changed from a dialog that says so, and brought back', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await plant(owner.workspaceId);
  await page.reload();
  await rows(page).filter({ hasText: 'Ticket 3' }).first().waitFor();
  await rows(page).first().getByRole('link').focus();
  await page.keyboard.press('Control+a');
  await page.getByText('50 selected').waitFor();
  await page.getByRole('heading', { name: '50 tickets selected' }).waitFor();
  await page.getByRole('button', { name: 'Select all 120 that match' }).click();
  await page.getByText('All 120 that match are selected').waitFor();
  // A row that is deselected is left out.
  await rows(page).first().getByRole('checkbox').uncheck();
  await page.getByText('All 119 that match are selected').waitFor();
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'Change 119 tickets' }).waitFor();
  await dialog.getByText('Status: Closed').waitFor();
  await dialog.getByText('until a day after its end').waitFor();
  // Somebody changes a ticket in the meantime, so the number has changed.
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update tickets set status = 'pending' where workspace_id = ${owner.workspaceId} and ticket_number = 100`),
  );
  await dialog.getByRole('button', { name: 'Change 119 tickets' }).click();
  await dialog.getByText('118 tickets match now').waitFor();
  expect(await openCount(owner.workspaceId)).toBe(119);
  await dialog.getByRole('button', { name: 'Change 118 tickets' }).click();
  await page.getByRole('region', { name: 'Bulk change' }).getByText('Changed 0 of 118').waitFor();
  await work(owner.workspaceId, 1);
  await page.getByText('Tickets changed: 118').waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Reverted 0 of 118').waitFor();
  await work(owner.workspaceId, 119);
  await page.getByText('Tickets reverted: 118').waitFor();

  await page.goto('/settings/bulk');
  const line = page.getByRole('list', { name: 'Recent bulk changes' }).getByRole('listitem');
  await line.getByText('Status: Closed').waitFor();
  await line.getByText('Undone: 118 reverted, 0 not fully').waitFor();
  expect(complaints).toEqual([]);
});

test('the rest of the list comes when the loaded tickets are closed, at once or one by one', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await plant(owner.workspaceId);
  await page.reload();
  await rows(page).filter({ hasText: 'Ticket 3' }).first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Control+a');
  await page.getByText('50 selected').waitFor();
  await page.keyboard.press('e');
  await rows(page).filter({ hasText: 'Ticket 51' }).first().waitFor();
  await rows(page).filter({ hasText: 'Ticket 51' }).locator('a:focus').waitFor();
  await page.keyboard.press('Enter');
  for (let number = 51; number <= 115; number++) {
    await page.getByRole('heading', { name: `Ticket ${number}`, exact: true }).waitFor();
    await page.keyboard.press('e');
  }
  await page.getByRole('heading', { name: 'Ticket 116', exact: true }).waitFor();
  await expect.poll(() => openCount(owner.workspaceId)).toBe(count - 115);
  expect(complaints).toEqual([]);
});

test('a screen that is taller than the first tickets shows the next ones too', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await plant(owner.workspaceId);
  await page.setViewportSize({ width: 1200, height: 6_000 });
  await page.reload();
  await rows(page).filter({ hasText: 'Ticket 80' }).first().waitFor();
});

test('a tag pressed twice is that tag twice, wherever the first press puts it', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  for (const tags of [['old', 'vip'], [], []])
    await owner.call('POST', '/tickets', { subject: 'Brakes', body: 'text', requester: null, tags });
  await rows(page).nth(2).waitFor();
  await rows(page).first().getByRole('link').focus();
  await page.keyboard.press('Control+a');
  await page.getByText('3 selected').waitFor();
  await page.keyboard.press('t');
  await page.getByRole('option', { name: 'vip' }).dblclick();
  await page.keyboard.press('Escape');
  const tagsNow = async () => {
    const { body } = await owner.call('GET', '/tickets?status=open');
    return body.map(({ tags }: { tags: string[] }) => tags.join()).sort();
  };
  await expect.poll(tagsNow).toEqual(['', '', 'old']);
});
