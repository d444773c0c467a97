import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, password, rowOf, signIn, useWebPages } from '../../pages/web-pages.ts';
import { givePassword, makeMember, type Person } from '../../worlds/factories.ts';
import { putMailbox } from '../../worlds/put-mailbox.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

/** A member at a page of their own. */
async function openAs(member: Person): Promise<Page> {
  // Wide enough for a sidebar with names.
  const { page } = await openPage({ viewport: { width: 1440, height: 900 } });
  await signIn(page, member);
  await page.goto('/');
  await page.getByRole('region', { name: 'Tickets', exact: true }).waitFor();
  return page;
}

test('a team that an owner restricts works as ever for those inside, and is not there for others', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  const { workspaceId } = owner;
  const memberOf = async (name: string) =>
    givePassword(house, await makeMember(house, workspaceId, 'agent', name), password);
  const [ines, hana] = [await memberOf('Ines'), await memberOf('Hana')];
  const address = 'billing@office.example';
  const { id: mailboxId } = await putMailbox(house, { workspaceId, provider: 'mail-b', address, refreshToken: 'r' });

  await page.goto('/settings/teams');
  await page.getByRole('button', { name: 'New team' }).click();
  await page.getByRole('dialog', { name: 'New team' }).getByLabel('Name').fill('Billing');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Billing', exact: true }).waitFor();
  await page.getByRole('radio', { name: 'Only this team' }).focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('combobox', { name: 'New member of the team' }).selectOption({ label: 'Ines' });
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const inWords = page.getByRole('region', { name: 'In words' });
  await inWords.getByText('Ada and Ines see every ticket of Billing').waitFor();
  await inWords.getByText('Hana sees none, and no sign of them').waitFor();
  expect(await axeFaults(page)).toEqual([]);

  await page.goto(`/settings/mailboxes/${mailboxId}`);
  await page.getByLabel('Team of new tickets').selectOption({ label: 'Billing' });
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
  await page.getByRole('button', { name: 'Save' }).click();
  expect((await saved).status()).toBe(200);

  const [inside, outside] = [await openAs(ines), await openAs(hana)];
  const requester = { email: 'chiara@moretti.example', name: 'Chiara Moretti' };
  await owner.call('POST', '/tickets', { subject: 'Refund', body: 'b', requester, mailboxId });
  await owner.call('POST', '/tickets', { subject: 'Lamp', body: 'b', requester: { email: 'leo@lamp.example' } });
  await rowOf(inside, 'Refund').waitFor();
  await rowOf(inside, 'Refund').getByText('For Billing only').waitFor();
  await inside.getByRole('link', { name: /^Billing 1$/ }).click();
  await rowOf(inside, 'Refund').click();
  await inside.getByRole('article').getByText('For Billing only').waitFor();

  await rowOf(outside, 'Lamp').waitFor();
  await outside.getByRole('link', { name: /^Open 1$/ }).waitFor();
  expect(await outside.getByText(/Refund|Chiara|Billing/).count()).toBe(0);
  await outside.goto('/c');
  await outside.getByRole('link', { name: /leo@lamp/ }).waitFor();
  expect(await outside.getByText(/chiara/i).count()).toBe(0);

  // A ticket that goes to the team leaves the screen of whoever is outside, while they look at it.
  await outside.goto('/t/2');
  await outside.getByRole('heading', { level: 1, name: 'Lamp' }).waitFor();
  await inside.goto('/t/2');
  await inside.getByRole('heading', { level: 1, name: 'Lamp' }).waitFor();
  await inside.keyboard.press('a');
  await inside.getByRole('dialog').getByRole('combobox').fill('bill');
  await inside.getByRole('option', { name: /Billing/ }).waitFor();
  await inside.keyboard.press('Enter');
  await inside.getByText('#2 assigned to a team').waitFor();
  await rowOf(outside, 'Lamp').waitFor({ state: 'detached' });
  await expect.poll(() => outside.getByRole('heading', { level: 1, name: 'Lamp' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});
