import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sql } from '../../../src/ground/database/sql.ts';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, password, signIn, useWebPages } from '../../pages/web-pages.ts';
import { givePassword, makeMember, type Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';
import { putMailbox } from '../../worlds/put-mailbox.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

/** A page of another member of the workspace. */
async function openAs(role: 'agent' | 'admin', workspaceId: Person['workspaceId']) {
  const opened = await openPage();
  const person = await givePassword(house, await makeMember(house, workspaceId, role), password);
  await signIn(opened.page, person);
  await opened.page.goto('/');
  return { ...opened, person };
}

const banner = (page: Page, name: string) => page.getByRole('complementary', { name, exact: true });

test('mailboxes that bring no mail are named, with what helps: to managers a link, to others whom to ask', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  const ofOwner = { workspaceId: owner.workspaceId, provider: 'mail-b', refreshToken: 'x' } as const;
  const ended = await putMailbox(house, { ...ofOwner, address: 'help@shop.example' });
  const away = await putMailbox(house, { ...ofOwner, address: 'sales@shop.example' });
  const [now, before] = [house.clock.now(), new Date(house.clock.now().getTime() - 3_600_000)];
  await house.app.db.tx(async (tx) => {
    await tx.run(sql`
      update mailboxes set status = 'reauthorization_required', status_changed_at = ${now}
      where workspace_id = ${owner.workspaceId} and id = ${ended.id}`);
    await tx.run(sql`
      update mailbox_syncs set failures = 3, synced_at = ${before}
      where workspace_id = ${owner.workspaceId} and mailbox_id = ${away.id}`);
  });
  await page.reload();
  await banner(page, 'Mailbox help@shop.example')
    .getByText(/must be connected again/)
    .waitFor();
  await banner(page, 'Mailbox sales@shop.example')
    .getByText(/has been out of reach since/)
    .waitFor();
  await banner(page, 'No outgoing email')
    .getByText(/^Kontor can't send its own email yet/)
    .waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await banner(page, 'Mailbox help@shop.example').getByRole('link').click();
  await page.waitForURL(`**/settings/mailboxes/${ended.id}`);
  const { page: agentPage } = await openAs('agent', owner.workspaceId);
  const ofAgent = banner(agentPage, 'Mailbox help@shop.example');
  await ofAgent.getByText('An owner or admin can do that.').waitFor();
  expect(await ofAgent.getByRole('link').count()).toBe(0);
  const ownMail = banner(agentPage, 'No outgoing email');
  // Only a manager can change that.
  expect(await ownMail.count()).toBe(0);
  await page.goto('/');
  await banner(page, 'No outgoing email').getByRole('button', { name: 'Hide' }).click();
  await banner(page, 'No outgoing email').waitFor({ state: 'detached' });
  // No mailbox sends any more, so that nothing reaches a customer.
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update mailboxes set send_status = 'error' where workspace_id = ${owner.workspaceId} and id = ${away.id}`),
  );
  await agentPage.reload();
  await ownMail.getByText("Kontor can't send email yet. What you send reaches nobody.").waitFor();
  expect(await ownMail.getByRole('button').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('without a mail server a banner says where answers go, and cannot be put away', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await banner(page, 'No outgoing email')
    .getByText(/can't send email yet/)
    .waitFor();
  const connect = banner(page, 'No outgoing email').getByRole('link', { name: 'Connect a mailbox' });
  expect(await connect.getAttribute('href')).toBe('/settings/mailboxes');
  const { page: agentPage } = await openAs('agent', owner.workspaceId);
  await banner(agentPage, 'No outgoing email').getByText('An owner or admin can change that.').waitFor();
  expect(await banner(page, 'No outgoing email').getByRole('button').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('who lacks the second factor that the workspace demands is led to it, and then sees the tickets', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await house.app.db.tx((tx) => {
    // Otherwise the page may still be admitted from the cache of rights.
    tx.revokes();
    return tx.run(sql`update workspaces set require_second_factor = true where id = ${owner.workspaceId}`);
  });
  await page.reload();
  await banner(page, 'Two-factor authentication')
    .getByText(/requires two-factor authentication/)
    .waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await banner(page, 'Two-factor authentication').getByRole('link', { name: 'Set it up' }).click();
  const factor = page.getByRole('region', { name: 'Two-factor authentication' });
  await factor.getByLabel('Current password').fill(password);
  await factor.getByRole('button', { name: 'Set up' }).click();
  const secret = (await factor.locator('code').textContent()) ?? '';
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: house.clock.now().getTime() });
  await factor.getByLabel('The code that the app shows now').fill(code);
  await factor.getByRole('button', { name: 'Confirm' }).click();
  await banner(page, 'Two-factor authentication').waitFor({ state: 'detached' });
  await factor.getByRole('button', { name: 'I have saved them' }).click();
  await page.getByRole('link', { name: 'Back to the inbox' }).click();
  // The stream is followed again: a new mail appears by itself.
  await ingest(house, owner, [mailOf({ headers: { Subject: 'Brakes' } })]);
  await page.getByRole('link', { name: /Brakes/ }).waitFor();
});

test('a new version of the service is announced, and so is a stream that stays broken', async () => {
  const { page } = await openPage();
  await register(page);
  await page.route('**/v1/config', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), 'x-kontor-version': '9.9.9' } });
  });
  await page.route('**/events/stream*', (route) => route.abort());
  await page.reload();
  await page
    .getByRole('status')
    .getByText(/Live updates are interrupted/)
    .waitFor();
  await page.unroute('**/events/stream*');
  await page
    .getByRole('status')
    .getByText(/There is a new version of Kontor/)
    .waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Reload' }).waitFor();
});
