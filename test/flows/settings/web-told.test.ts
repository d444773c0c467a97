import { expect, test } from 'vitest';
import { sql } from '../../../src/ground/database/sql.ts';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, pressSequence, useWebPages } from '../../pages/web-pages.ts';
import { makeMember } from '../../worlds/factories.ts';
import { putMailbox } from '../../worlds/put-mailbox.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

test('a person chooses the mailboxes whose new tickets they hear of, and the notification leads to them', async () => {
  const { page, complaints } = await openPage();
  const { workspaceId } = await register(page);
  const connect = async (address: string, name: string): Promise<string> => {
    const { id } = await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken: 'r' });
    await house.app.db.tx((tx) =>
      tx.run(sql`update mailboxes set name = ${name} where workspace_id = ${workspaceId} and id = ${id}`),
    );
    return id;
  };
  const [support, sales] = [await connect('help@example.com', 'Support'), await connect('buy@example.com', 'Sales')];
  await page.goto('/settings/notifications');
  await page.getByRole('checkbox', { name: 'A new ticket comes in: In app' }).click();
  const mailboxes = page.getByRole('region', { name: 'Mailboxes' });
  const ofSales = mailboxes.getByRole('checkbox', { name: 'Sales: New tickets' });
  expect(await ofSales.isChecked()).toBe(true);
  // The answer to the tick before may still be on its way.
  const saved = page.waitForResponse((answer) => answer.request().postData()?.includes('mailboxIds') === true);
  await ofSales.click();
  await saved;
  expect(await mailboxes.getByRole('checkbox', { name: 'Support: New tickets' }).isChecked()).toBe(true);
  expect(await axeFaults(page)).toEqual([]);
  const colleague = await makeMember(house, workspaceId, 'agent');
  const requester = { email: 'cleo@example.net' };
  for (const [subject, mailboxId] of [
    ['Lamp', support],
    ['Offer', sales],
    ['Chair', support],
  ])
    await colleague.call('POST', '/tickets', { subject, body: 'b', requester, mailboxId });
  await page.goto('/');
  await pressSequence(page, 'g', 'n');
  await page.getByRole('button', { name: '2 new tickets in Support' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('mailbox')).toBe(support);
  await page.getByRole('link', { name: /Chair/ }).waitFor();
  expect(await page.getByRole('link', { name: /Offer/ }).count()).toBe(0);
  await expect.poll(() => page.title()).not.toMatch(/^\(\d/);
  expect(complaints).toEqual([]);
});
