import { Secret, TOTP } from 'otpauth';
import type { Page, Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { newestToken } from '../../harness/links.ts';
import { chooseOwn, password, useWebPages } from '../../pages/web-pages.ts';
import { startWriting, textOf } from '../../pages/writing-pages.ts';
import { givePassword, makeOwner, type Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

const writeIn = (to: Pick<Person, 'workspaceId'>, body: string, headers: Record<string, string> = {}) =>
  ingest(house, to as Person, [mailOf({ body, headers })]);

/** Only this pane, since rows of the list show the beginnings of messages too. */
const ticketPane = (page: Page) => page.getByRole('region', { name: 'Ticket', exact: true });

/** Sends an answer that waits for its undo time. */
async function sendNow(page: Page, answered: Response): Promise<void> {
  const { id } = await answered.json();
  const retry = await page.request.post(`${answered.url()}/${id}/retry`, { headers: { origin: house.url } });
  expect(retry.status()).toBe(200);
  await house.drain();
}

test('a newcomer registers, reads mail as it arrives, and answers', async () => {
  const { page, complaints, asked } = await openPage();
  const owner = await register(page);
  await page.getByText('No tickets here.').waitFor();
  await writeIn(owner, 'It hums since Monday.', { Subject: 'The printer hums' });
  // The live stream updates the list.
  await page.getByRole('link', { name: /The printer hums/ }).click();
  await ticketPane(page).getByText('It hums since Monday.').waitFor();
  expect(new URL(page.url()).pathname).toBe('/t/1');
  await startWriting(page);
  await textOf(page).fill('Please switch it off and on again.');
  const answered = page.waitForResponse((response) => /\/tickets\/[^/]+\/messages$/.test(response.url()));
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('button', { name: 'Undo' }).first().waitFor();
  await page.getByText(/^Sending in/).waitFor();
  await sendNow(page, await answered);
  const sent = (await house.outbox()).at(-1) ?? '';
  expect(sent).toMatch(/^To: .*ann@example\.org/m);
  expect(sent).toContain('Please switch it off and on again.');
  // Without a mail server the mail is a file.
  await page.getByText('Written to a file, not sent', { exact: true }).waitFor();
  expect(asked.filter((url) => !url.startsWith(house.url) && !/^(data|blob|about):/.test(url))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('the keyboard alone reads, notes, assigns and closes', async () => {
  const { page, complaints } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'First question.', { Subject: 'First' });
  await writeIn(owner, 'Second question.', { Subject: 'Second' });
  await page
    .getByRole('region', { name: 'Tickets', exact: true })
    .getByRole('link', { name: /Second/ })
    .waitFor();
  const { keyboard } = page;
  await keyboard.press('j');
  await page.getByRole('heading', { name: 'Second', exact: true }).waitFor();
  await keyboard.press('i');
  await page.getByRole('button', { name: 'Assignee: Ada' }).waitFor();
  await keyboard.press('n');
  await keyboard.type('For us alone.');
  await keyboard.press('Control+Enter');
  await ticketPane(page).getByText('For us alone.').waitFor();
  await expect.poll(() => page.getByRole('article', { name: 'Message from Ada' }).count()).toBe(1);
  await keyboard.press('e');
  await page.getByRole('heading', { name: 'First', exact: true }).waitFor();
  await expect
    .poll(() =>
      page
        .getByRole('region', { name: 'Tickets', exact: true })
        .getByRole('link', { name: /Second/ })
        .count(),
    )
    .toBe(0);
  await keyboard.press('Shift+Slash');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  expect((await house.outbox()).filter((mail) => mail.includes('For us alone.'))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('an answer is undone before it leaves, and its text is in the editor again', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'Are you there?', { Subject: 'Hello' });
  await page.getByRole('link', { name: /Hello/ }).click();
  await startWriting(page);
  await textOf(page).fill('An answer too soon.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Text' }).textContent()).toBe('An answer too soon.');
  await house.drain();
  expect((await house.outbox()).filter((mail) => mail.includes('An answer too soon.'))).toEqual([]);
});

const hostile = `<p id="words">Hello <b>there</b></p><script>parent.ran = 1</script><img src=x onerror="parent.ran = 1">
<img src="https://tracker.example/pixel.gif">
<a href="javascript:parent.ran=1">click</a><svg onload="parent.ran=1"></svg>
<div style="position:fixed;inset:0;background:red">over</div>
<form action="https://evil.example"><input name="password"></form>
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
  // The frame has the height of its mail once measured.
  await expect.poll(async () => (await page.locator('iframe:not([hidden])').boundingBox())?.height).toBeLessThan(400);
});

test('an invited person with an account gives the code of their second factor', async () => {
  const guest = await givePassword(house, await makeOwner(house), password);
  const host = await makeOwner(house);
  const { secret } = (await guest.call('POST', '/v1/me/second-factor', { password })).body;
  const codes = new TOTP({ secret: Secret.fromBase32(secret) });
  const codeNow = () => codes.generate({ timestamp: house.clock.now().getTime() });
  await guest.call('POST', '/v1/me/second-factor/confirm', { code: codeNow() });
  await host.call('POST', '/invites', { email: guest.email, role: 'agent' });
  const { page } = await openPage();
  await page.goto(`/accept-invite?token=${await newestToken(house, guest.email)}`);
  expect(await page.getByLabel('Email address').inputValue()).toBe(guest.email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  expect(page.url()).not.toContain('token');
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  // A code works once.
  house.clock.advance(30_000);
  await page.getByLabel(/^Code/).fill(codeNow());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Workspace: / }).waitFor();
});

test('after a sign-out the page reads nothing more, and leaves no draft', async () => {
  const { page } = await openPage();
  const owner = await register(page);
  await writeIn(owner, 'A question.', { Subject: 'Private' });
  await page.getByRole('link', { name: /Private/ }).click();
  await startWriting(page);
  await textOf(page).fill('For nobody else');
  await expect.poll(() => page.evaluate('JSON.stringify(localStorage)')).toContain('For nobody else');
  await chooseOwn(page, 'Sign out');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('For nobody else');
  await page.goto('/t/1');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
});
