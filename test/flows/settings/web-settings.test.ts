import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { newestToken } from '../../harness/links.ts';
import { axeFaults, isFocused, password, pressSequence, useWebPages } from '../../pages/web-pages.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

test('a newcomer tries sample tickets, invites a colleague, and dismisses the first steps', async () => {
  const { page, complaints } = await openPage({ viewport: { width: 1280, height: 800 } });
  await register(page);
  const steps = page.getByRole('region', { name: 'Getting started' });
  await page.getByText('Nothing is waiting for you.').waitFor();
  await steps.getByText(/replies reach nobody/).waitFor();
  await page.getByRole('complementary', { name: 'No outgoing email' }).waitFor();
  await steps.getByText('all shortcuts').waitFor();
  // Nothing of the steps is cut off or scrolls.
  const isWhole = 'e => e.scrollHeight <= e.clientHeight + 1 && e.getBoundingClientRect().bottom <= innerHeight';
  expect(await steps.evaluate(`(${isWhole})(document.querySelector('section[aria-label="Getting started"]'))`)).toBe(
    true,
  );
  await steps.getByRole('button', { name: 'Try sample tickets' }).click();
  await page.getByRole('article').first().waitFor();
  await expect.poll(() => page.getByRole('link', { name: /sample/ }).count()).toBeGreaterThan(2);
  // Beside tickets the steps are one line that opens. The answers of samples are nobody's.
  expect((await steps.boundingBox())?.height).toBeLessThan(60);
  await steps.getByRole('button', { name: 'Getting started' }).click();
  const first = steps.getByRole('listitem').filter({ hasText: 'Send a first reply' });
  expect(await first.textContent()).not.toContain('Done.');
  // The sidebar counts the tickets in the list.
  await page.getByRole('link', { name: /^Open \d+$/ }).waitFor();
  await steps.getByRole('link', { name: 'Invite people' }).click();
  await page.getByRole('button', { name: 'Invite people' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite people' });
  await dialog.getByLabel('Email address').fill('colleague@example.org');
  await dialog.getByRole('button', { name: 'Create invitation link' }).click();
  await dialog.getByLabel('Link for colleague@example.org', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  const invited = page.getByRole('listitem').filter({ hasText: 'colleague@example.org' });
  await invited.getByText(/^Agent · /).waitFor();
  expect(await newestToken(house, 'colleague@example.org')).not.toBe('');
  await page.getByRole('button', { name: 'Revoke the invitation of colleague@example.org' }).click();
  await invited.waitFor({ state: 'detached' });
  await page.goto('/');
  await steps.getByRole('button', { name: 'Getting started' }).click();
  await steps.getByRole('button', { name: 'Remove sample tickets' }).click();
  await expect.poll(() => page.getByRole('link', { name: /sample/ }).count()).toBe(0);
  await steps.getByRole('button', { name: 'Dismiss' }).click();
  await page.reload();
  await page.getByRole('heading', { name: 'Open' }).waitFor();
  expect(await steps.count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("a person's settings reach their other devices, and a browser that has none stored", async () => {
  const { page, complaints } = await openPage();
  await register(page);
  const { page: phone } = await openPage({ storageState: await page.context().storageState() });
  await phone.goto('/settings/look');
  await phone.getByRole('radio', { name: 'System' }).waitFor();
  await page.goto('/settings/profile');
  await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Pacific/Kiritimati');
  await page.getByLabel('Your name').fill('Ada Byron');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.', { exact: true }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Appearance' }).click();
  const scheme = (of: typeof page) => of.evaluate('document.documentElement.style.colorScheme');
  await page.getByRole('radio', { name: 'Dark' }).check();
  await expect.poll(() => scheme(page)).toBe('dark');
  await expect.poll(() => phone.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
  await expect.poll(() => scheme(phone)).toBe('dark');
  await page.getByRole('radio', { name: 'Compact' }).check();
  await page.getByRole('combobox', { name: 'Undo send' }).selectOption('0');
  await page.getByRole('link', { name: 'Keyboard shortcuts' }).click();
  await page.getByRole('checkbox', { name: /Single-key shortcuts/ }).uncheck();
  const { cookies } = await page.context().storageState();
  const { page: fresh } = await openPage({ storageState: { cookies, origins: [] } });
  await fresh.goto('/settings/look');
  await expect.poll(() => fresh.getByRole('radio', { name: 'Compact' }).isChecked()).toBe(true);
  await expect.poll(() => fresh.getByRole('combobox', { name: 'Undo send' }).inputValue()).toBe('0');
  await fresh.getByRole('link', { name: 'Keyboard shortcuts' }).click();
  await expect.poll(() => fresh.getByRole('checkbox', { name: /Single-key shortcuts/ }).isChecked()).toBe(false);
  await fresh.getByRole('link', { name: 'Profile' }).click();
  await expect.poll(() => fresh.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Pacific/Kiritimati');
  await expect.poll(() => fresh.getByLabel('Your name').inputValue()).toBe('Ada Byron');
  expect(complaints).toEqual([]);
});

test('an address changes by a link in a mail to the new address', async () => {
  const { page, complaints } = await openPage();
  await register(page);
  await page.goto('/settings/profile');
  await page.getByLabel('New address').fill('ada@new.example.org');
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Change address' }).click();
  await page.getByText(/on its way to ada@new\.example\.org/).waitFor();
  await page.goto(`/confirm-email?token=${await newestToken(house, 'ada@new.example.org')}`);
  // A mail scanner opens the link, too.
  await page.getByRole('button', { name: 'Confirm the address' }).waitFor();
  const { user } = await page.evaluate(async (): Promise<any> => (await fetch('/v1/me')).json());
  expect(user.email).not.toBe('ada@new.example.org');
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Confirm the address' }).click();
  await page.getByText(/This address is yours now/).waitFor();
  expect(page.url()).not.toContain('token');
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Go to your profile' }).click();
  await page.getByText(/You sign in as ada@new\.example\.org/).waitFor();
  expect(complaints).toEqual([]);
});

test('a setting that the service refuses is reverted and reported', async () => {
  const { page } = await openPage();
  await register(page);
  const read = page.waitForResponse('**/start');
  await page.goto('/settings/look');
  await read;
  await page.route('**/v1/me/preferences', (route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 500 }) : route.continue(),
  );
  await page.getByRole('radio', { name: 'Dark' }).click();
  await page.getByText(/could not be saved/).waitFor();
  await expect.poll(() => page.getByRole('radio', { name: 'System' }).isChecked()).toBe(true);
});

test('a second factor is set up by its secret, and recovery codes are shown', async () => {
  const { page, complaints } = await openPage();
  await register(page);
  await pressSequence(page, 'g', ',');
  await page.getByRole('link', { name: 'Security' }).click();
  const factor = page.getByRole('region', { name: 'Two-factor authentication' });
  await factor.getByLabel('Current password').fill(password);
  await factor.getByRole('button', { name: 'Set up' }).click();
  await factor.getByRole('img', { name: 'QR code of the secret' }).waitFor();
  const secret = (await factor.locator('code').textContent()) ?? '';
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: house.clock.now().getTime() });
  await factor.getByLabel('The code that the app shows now').fill(code);
  await factor.getByRole('button', { name: 'Confirm' }).click();
  await factor.getByText('Keep these recovery codes.').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await factor.getByRole('button', { name: 'I have saved them' }).click();
  await factor.getByText(/^On since/).waitFor();
  expect(complaints).toEqual([]);
});

test('a ticked box means mail that comes: none without a mail server, and none beside “Never”', async () => {
  const { page, complaints } = await openPage();
  await register(page);
  const ofMention = (way: string) => page.getByRole('checkbox', { name: `Somebody mentions you: ${way}` });
  const isTicked = (kind: string) => page.getByRole('checkbox', { name: `${kind}: Email` }).isChecked();
  await page.goto('/settings/notifications');
  await page.getByText(/^Kontor can't send its own email yet, so notifications/).waitFor();
  expect([await ofMention('Email').isChecked(), await ofMention('Email').isDisabled()]).toEqual([false, true]);
  expect(await ofMention('In app').isChecked()).toBe(true);
  await page.route('**/v1/config', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), mail: 'smtp' } });
  });
  await page.reload();
  await page.getByRole('radio', { name: 'At once' }).waitFor();
  expect(await page.getByRole('radio', { name: 'At once' }).isChecked()).toBe(true);
  await expect.poll(() => isTicked('Somebody mentions you')).toBe(true);
  expect(await isTicked('A ticket is assigned to you')).toBe(true);
  expect(await isTicked('A customer replies in your tickets')).toBe(true);
  expect(await isTicked('A new ticket comes in')).toBe(false);
  await ofMention('In app').click();
  await expect.poll(() => isTicked('Somebody mentions you')).toBe(false);
  await page.getByRole('radio', { name: 'Never' }).click();
  await expect.poll(() => isTicked('A ticket is assigned to you')).toBe(false);
  expect(await isTicked('A mailbox needs attention')).toBe(true);
  expect(await axeFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('notifications are in the panel and in the title of the tab until the ticket is read', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  const post = (path: string, data: object) =>
    page.request.fetch(`${house.url}/v1/workspaces/${owner.workspaceId}${path}`, {
      method: 'PATCH',
      data,
      headers: { origin: house.url },
    });
  await ingest(house, owner, [mailOf({ headers: { Subject: 'First', 'Message-ID': '<first@example.org>' } })]);
  const [ticket] = await (await page.request.get(`/v1/workspaces/${owner.workspaceId}/tickets`)).json();
  const { user } = await (await page.request.get('/v1/me')).json();
  expect((await post(`/tickets/${ticket.id}`, { assigneeId: user.id })).status()).toBe(200);
  const answer = { Subject: 'Re: First', 'In-Reply-To': '<first@example.org>' };
  await ingest(house, owner, [mailOf({ headers: answer, body: 'And another thing.' })]);
  await page.reload();
  await expect.poll(() => page.title()).toBe('(1) Open · Kontor');
  await pressSequence(page, 'g', 'n');
  await page.getByRole('button', { name: /New reply in #1 First/ }).click();
  await page.getByRole('article').getByText('And another thing.').first().waitFor();
  await expect.poll(() => page.title()).toBe('#1 First · Kontor');
});

test('a command gets another key, conflicts are named, and help, tooltips and a second browser follow', async () => {
  const { page, complaints } = await openPage();
  await register(page);
  const { page: other } = await openPage({ storageState: await page.context().storageState() });
  await other.goto('/');
  await other.getByRole('button', { name: /: your account$/ }).waitFor();
  await page.goto('/settings/shortcuts');
  await page.getByRole('button', { name: 'Change the shortcut for “New ticket”' }).click();
  const recorder = page.getByRole('group', { name: 'Change the shortcut for “New ticket”' });
  await recorder.getByLabel('New shortcut for “New ticket”').waitFor();
  await page.keyboard.press('Control+t');
  await recorder.getByText('Your browser or the text editor needs this key.').waitFor();
  await page.keyboard.press('r');
  await recorder.getByText('r would no longer run: Reply.').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await recorder.waitFor({ state: 'detached' });
  const change = page.getByRole('button', { name: 'Change the shortcut for “New ticket”' });
  await expect.poll(() => isFocused(change)).toBe(true);
  const newTicket = (at: Page) => at.locator('nav [data-command=newTicket]');
  const shown = () => page.locator('[data-row=newTicket] kbd').allTextContents();
  await expect.poll(shown).toEqual(['r']);
  await expect.poll(() => newTicket(other).getAttribute('title')).toBe('New ticket (r)');
  await other.keyboard.press('Shift+?');
  await other.getByRole('searchbox', { name: 'Search shortcuts' }).fill('new ticket');
  expect(await other.locator('dialog kbd').allTextContents()).toEqual(['r']);
  await other.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await other.keyboard.press('c');
  await other.keyboard.press('r');
  await other.waitForURL(/\/new\b/);
  await page.getByRole('button', { name: 'Reset the shortcut for “Reply”' }).click();
  await page.getByText('Resetting removes the shortcut from: New ticket.').waitFor();
  await page.getByRole('button', { name: 'Reset to r', exact: true }).click();
  await expect.poll(shown).toEqual([]);
  await page.getByRole('button', { name: 'Reset all shortcuts' }).click();
  await expect.poll(shown).toEqual(['c']);
  expect(complaints).toEqual([]);
});
