import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, pressSequence, searchOf, useWebPages } from '../../pages/web-pages.ts';
import { makeMember } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

test('the list of mentions holds the tickets that mention the person, and counts the unread', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  const bob = await makeMember(house, owner.workspaceId, 'agent', 'Bob Low');
  await ingest(house, owner, [mailOf({ headers: { Subject: 'Brakes' } }), mailOf({ headers: { Subject: 'Saddle' } })]);
  const link = page.getByRole('navigation', { name: 'Lists' }).locator('[data-command="goMentions"]');
  const rows = page.locator('[data-ticket]');
  await expect.poll(() => rows.count()).toBe(2);
  await pressSequence(page, 'g', 'o');
  await page.getByText('Nobody has mentioned you.').waitFor();
  expect(searchOf(page)).toBe('?mentioned=true');
  expect(await page.title()).toContain('Mentions');
  expect(await link.getAttribute('aria-current')).toBe('page');
  const { id } = (await owner.call('GET', '/tickets?search=Saddle')).body[0];
  const body = `@[Ada](user:${owner.userId}) can you look?`;
  expect((await bob.call('POST', `/tickets/${id}/messages`, { body, isInternal: true })).status).toBe(201);
  // Both come by themselves.
  await rows.filter({ hasText: 'Saddle' }).waitFor();
  await expect.poll(() => link.textContent()).toBe('Mentions1');
  expect(await rows.count()).toBe(1);
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'Saddle', exact: true }).waitFor();
  await expect.poll(() => link.textContent()).toBe('Mentions');
  expect(await rows.count()).toBe(1);
  expect(complaints).toEqual([]);
});
