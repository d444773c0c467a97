import { Secret, TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import type { Person } from '../factories.ts';
import { useHouse } from '../harness.ts';
import { newestToken } from '../links.ts';
import { ingest, mailOf } from '../mails.ts';
import { axeFaults, password, useWebPages } from '../web-pages.ts';

/** A busy machine takes its time. */
const patient = { timeout: 20_000 };

const house = useHouse();
const { openPage, register } = useWebPages(house);

test('a newcomer tries sample tickets, invites somebody, and puts the first steps away', async () => {
  const { page, complaints } = await openPage();
  await register(page);
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.getByRole('button', { name: 'Try it with sample tickets' }).click();
  await page.getByRole('article').first().waitFor();
  await expect.poll(() => page.getByRole('link', { name: /sample/ }).count()).toBeGreaterThan(2);
  // The sidebar counts what the list holds.
  await page.getByRole('link', { name: /^All open \d+$/ }).waitFor();
  await steps.getByRole('link', { name: 'Invite somebody' }).click();
  await page.getByLabel('E-mail address').fill('colleague@example.org');
  await page.getByRole('button', { name: 'Send the invitation' }).click();
  await page.getByText('colleague@example.org · Agent').waitFor();
  expect(await newestToken(house, 'colleague@example.org')).not.toBe('');
  await page.getByRole('button', { name: 'Take back' }).click();
  await page.getByText('colleague@example.org · Agent').waitFor({ state: 'detached' });
  await page.goto('/');
  await steps.getByRole('button', { name: 'Take the sample tickets away' }).click();
  await expect.poll(() => page.getByRole('link', { name: /sample/ }).count(), patient).toBe(0);
  await steps.getByRole('button', { name: 'Put away' }).click();
  await page.reload();
  await page.getByRole('heading', { name: 'All open' }).waitFor();
  expect(await steps.count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('a second factor is set up by its secret, and told with recovery codes', async () => {
  const { page, complaints } = await openPage();
  await register(page);
  await page.keyboard.press('g');
  await page.keyboard.press(',');
  await page.getByRole('link', { name: 'Security' }).click();
  const factor = page.getByRole('region', { name: 'Second factor' });
  await factor.getByLabel('Current password').fill(password);
  await factor.getByRole('button', { name: 'Set up' }).click();
  await factor.getByRole('img', { name: 'QR code of the secret' }).waitFor();
  const secret = (await factor.locator('code').textContent()) ?? '';
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: house.clock.now().getTime() });
  await factor.getByLabel('The code that the app shows now').fill(code);
  await factor.getByRole('button', { name: 'Confirm' }).click();
  await factor.getByText('Keep these recovery codes.').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await factor.getByRole('button', { name: 'I have kept them' }).click();
  await factor.getByText(/^On since/).waitFor();
  expect(complaints).toEqual([]);
});

test('what a person is told is in the panel and the title of the tab until the ticket is read', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  const post = (path: string, data: object) =>
    page.request.fetch(`${house.url}/v1/workspaces/${owner.workspaceId}${path}`, {
      method: 'PATCH',
      data,
      headers: { origin: house.url },
    });
  await ingest(house, owner as Person, [
    mailOf({ headers: { Subject: 'First', 'Message-ID': '<first@example.org>' } }),
  ]);
  const [ticket] = await (await page.request.get(`/v1/workspaces/${owner.workspaceId}/tickets`)).json();
  const { user } = await (await page.request.get('/v1/me')).json();
  expect((await post(`/tickets/${ticket.id}`, { assigneeId: user.id })).status()).toBe(200);
  const answer = { Subject: 'Re: First', 'In-Reply-To': '<first@example.org>' };
  await ingest(house, owner as Person, [mailOf({ headers: answer, body: 'And another thing.' })]);
  await page.reload();
  await expect.poll(() => page.title()).toBe('(1) All open · Kontor');
  await page.keyboard.press('g');
  await page.keyboard.press('n');
  await page.getByRole('button', { name: /New reply in #1 First/ }).click();
  await page.getByRole('article').getByText('And another thing.').first().waitFor();
  await expect.poll(() => page.title(), { timeout: 5_000 }).toBe('#1 First · Kontor');
});

test('the look is chosen for this browser', async () => {
  const { page } = await openPage({ colorScheme: 'light' });
  await register(page);
  await page.goto('/settings/look');
  await page.getByRole('radio', { name: 'Dark' }).check();
  await page.reload();
  await page.getByRole('radio', { name: 'Dark' }).waitFor();
  expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
});

const addresses = [
  '/',
  '/?status=closed&assignee=me&tags=vip',
  '/settings/look',
  '/settings/security',
  '/settings/notifications',
  '/settings/members',
];

test.each([
  ['light', 1280],
  ['dark', 360],
] as const)('axe finds nothing at any address, %s at %d pixels', { timeout: 60_000 }, async (colorScheme, width) => {
  const { page } = await openPage({ colorScheme, viewport: { width, height: 800 }, hasTouch: width < 720 });
  await register(page);
  for (const address of addresses) {
    await page.goto(address);
    await page.getByRole('main').waitFor();
    await page.getByText('Loading …').waitFor({ state: 'detached' });
    expect(await axeFaults(page), address).toEqual([]);
    const scrollWidth = await page.evaluate('document.documentElement.scrollWidth');
    expect(scrollWidth, address).toBeLessThanOrEqual(width);
  }
});
