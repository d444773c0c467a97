import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { chooseOwn, password, signIn, useWebPages } from '../../pages/web-pages.ts';
import { givePassword, makeMember, makeOwner, type Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

const rowOf = (page: Page, subject: string) =>
  page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });

const write = (to: Person, Subject: string) => ingest(house, to, [mailOf({ headers: { Subject } })]);

async function signOut(page: Page): Promise<void> {
  await chooseOwn(page, 'Sign out');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

test('after a sign-out another person signs in on the same page, and sees only their own tickets', async () => {
  const { page, complaints } = await openPage();
  await write(await register(page), 'Of Ada');
  await rowOf(page, 'Of Ada').click();
  await page.getByRole('heading', { name: 'Of Ada' }).waitFor();
  await signOut(page);
  const bob = await givePassword(house, await makeOwner(house), password);
  await write(bob, 'Of Bob');
  await page.getByLabel('Email address').fill(bob.email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await rowOf(page, 'Of Bob').waitFor();
  expect(await page.content()).not.toContain('Of Ada');
  expect(complaints).toEqual([]);
});

test('a sign-out ends the session of all tabs, and no tab goes on as the next person', async () => {
  const { page } = await openPage();
  const ada = await register(page);
  await write(ada, 'A question');
  const bob = await givePassword(house, await makeMember(house, ada.workspaceId, 'agent'), password);
  const second = await page.context().newPage();
  await second.goto('/');
  await rowOf(second, 'A question').click();
  await second.getByRole('heading', { name: 'A question' }).waitFor();
  await signOut(page);
  await second.getByRole('heading', { name: 'Sign in' }).waitFor();
  const kept = `new Promise((resolve) => {
    const opened = indexedDB.open('kontor');
    opened.onsuccess = () => {
      const all = opened.result.transaction('kept').objectStore('kept').getAll();
      all.onsuccess = () => { opened.result.close(); resolve(JSON.stringify(all.result)); };
    };
  })`;
  expect(await second.evaluate(kept)).not.toContain('A question');

  // Without a sign-out before: the browser's session is Bob's from now on.
  await signIn(second, ada);
  await second.goto('/settings/profile');
  await expect.poll(() => second.getByLabel('Your name').inputValue()).toBe('Ada');
  await page.getByLabel('Email address').fill(bob.email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await rowOf(page, 'A question').waitFor();
  await expect.poll(() => second.getByText(bob.email).count()).toBeGreaterThan(0);
});

test('a session that is ended elsewhere leads every tab to the sign-in', async () => {
  const { page } = await openPage();
  const ada = await register(page);
  const second = await page.context().newPage();
  await second.goto('/');
  await second.getByRole('region', { name: 'Tickets', exact: true }).waitFor();
  await ada.call('DELETE', '/v1/me/sessions');
  for (const tab of [page, second]) await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
});

/** Sends the sign-in form of the page. */
async function fillIn(page: Page, { email }: Person): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
}

/** All texts in the browser's storage of the page. */
const stored = (page: Page) =>
  page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])') as Promise<string>;

/** Writes an answer that the service does not get. */
async function writeUnsaved(page: Page, subject: string, text: string): Promise<void> {
  await rowOf(page, subject).click();
  await page.getByRole('heading', { name: subject }).waitFor();
  await page.route('**/drafts/answer', (route) => route.abort());
  await page.keyboard.press('r');
  await expect.poll(() => page.evaluate(`document.activeElement?.closest('[data-mode]') !== null`)).toBe(true);
  await page.keyboard.type(text);
  await expect.poll(() => stored(page)).toContain(text);
}

test('a sign-out without a network works at once, and the service learns of it before anything else', async () => {
  const { page, complaints } = await openPage();
  const ada = await register(page);
  await write(ada, 'Of Ada');
  await rowOf(page, 'Of Ada').waitFor();
  const [cookie] = await page.context().cookies();
  const ofAda = { headers: { cookie: `${cookie?.name}=${cookie?.value}` } };
  let isReachable = false;
  await page.route('**/v1/**', (route) => (isReachable ? route.continue() : route.abort()));
  await signOut(page);
  expect(await page.content()).not.toContain('Of Ada');
  expect(await stored(page)).not.toContain('kontor.');
  expect((await fetch(`${house.url}/v1/me`, ofAda)).status).toBe(200);
  // A reload still has the cookie, and shows nothing with it.
  await page.goto('/');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  isReachable = true;
  await fillIn(page, ada);
  await rowOf(page, 'Of Ada').waitFor();
  const told = asked.indexOf('/v1/auth/logout');
  expect(told).toBeGreaterThanOrEqual(0);
  expect(asked.indexOf('/v1/auth/session')).toBeGreaterThan(told);
  expect((await fetch(`${house.url}/v1/me`, ofAda)).status).toBe(401);
  expect(complaints).toEqual([]);
});

test('a sign-out that would lose a text asks first', async () => {
  const { page } = await openPage();
  const ada = await register(page);
  await write(ada, 'A question');
  await writeUnsaved(page, 'A question', 'Not saved anywhere.');
  const asked: string[] = [];
  page.once('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.dismiss();
  });
  await chooseOwn(page, 'Sign out');
  await expect.poll(() => asked.join()).toContain('could not be saved');
  expect(await stored(page)).toContain('Not saved anywhere.');
  page.once('dialog', (dialog) => void dialog.accept());
  await signOut(page);
  expect(await stored(page)).not.toContain('Not saved anywhere.');
});

test('the next person finds nothing of one who did not sign out, and the same person finds all', async () => {
  const { page } = await openPage();
  const ada = await register(page);
  await write(ada, 'A question');
  const bob = await givePassword(house, await makeMember(house, ada.workspaceId, 'agent'), password);
  await writeUnsaved(page, 'A question', 'Text of Ada.');
  await page.evaluate(`localStorage.setItem('kontor.searches.x', '["Customer"]');
    localStorage.setItem('kontor.recent', '["Customer"]')`);
  await endCookie(page);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await fillIn(page, ada);
  await page.getByText('Text of Ada.').filter({ visible: true }).first().waitFor();
  expect(await stored(page)).toContain('Customer');

  await endCookie(page);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await fillIn(page, bob);
  await rowOf(page, 'A question').waitFor();
  expect(await stored(page)).not.toMatch(/Text of Ada|Customer/);
});

test('a page with the session of another person shows and keeps nothing of the former', async () => {
  const { page } = await openPage();
  const ada = await register(page);
  await write(ada, 'Of Ada');
  await writeUnsaved(page, 'Of Ada', 'Text of Ada.');
  const bob = await givePassword(house, await makeOwner(house), password);
  await write(bob, 'Of Bob');
  await signIn(page, bob);
  await page.goto('/');
  await rowOf(page, 'Of Bob').waitFor();
  expect(await page.content()).not.toContain('Of Ada');
  await expect.poll(() => stored(page)).not.toContain('Text of Ada.');
});

test('the sign-in comes even if its part of the page could not be fetched before', async () => {
  const { page } = await openPage();
  await page.route('**/assets/AccountRoutes-*.js', (route) => route.abort());
  const asked = page.waitForRequest('**/assets/AccountRoutes-*.js');
  await register(page);
  await asked;
  await page.unrouteAll();
  await signOut(page);
});

test('a fault of the page says so, and a reload brings the page back with the text', async () => {
  const { page } = await openPage();
  const ada = await register(page);
  await write(ada, 'A question');
  await page.route('**/tickets/number/*', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), messages: [null] } });
  });
  await rowOf(page, 'A question').click();
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
  await page.getByText('What you wrote is kept in this browser.').waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'A question' }).waitFor();
});

/** Ends the session as the browser does when its time is over. */
async function endCookie(page: Page): Promise<void> {
  await page.context().clearCookies();
}

test.each(['has expired', 'was ended'])(
  'a session that %s asks for the password over the page, and the answer goes out',
  async (how) => {
    const { page } = await openPage();
    const ada = await register(page);
    await write(ada, 'A question');
    await rowOf(page, 'A question').click();
    await page.getByRole('heading', { name: 'A question' }).waitFor();
    await page.keyboard.press('r');
    await expect.poll(() => page.evaluate(`document.activeElement.closest('[data-mode]') !== null`)).toBe(true);
    await page.keyboard.type('Here is my answer.');
    await page.getByText('Saved', { exact: true }).waitFor();
    const sent = Promise.withResolvers<void>();
    // Otherwise another request might ask first, and the dialog would get the key that sends.
    await page.route('**/v1/**', async (route) => {
      if (!/\/(messages|drafts\/answer)$/.test(route.request().url())) await sent.promise;
      await route.continue().catch(() => undefined);
    });
    if (how === 'has expired') await endCookie(page);
    else await ada.call('DELETE', '/v1/me/sessions');
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText(`Your session ${how}`).waitFor();
    sent.resolve();
    expect(await page.content()).not.toContain('Bearer');
    await dialog.getByLabel('Password', { exact: true }).fill('not it at all');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Ticket', exact: true }).getByText('Here is my answer.').first().waitFor();
    await page
      .getByText(/^(Sending in|Sent|Written to a file)/)
      .first()
      .waitFor();
  },
);

test('the question after the end of a session leads to the other ways to sign in', async () => {
  const { page } = await openPage();
  const ada = await register(page);
  await write(ada, 'A question');
  await rowOf(page, 'A question').waitFor();
  await endCookie(page);
  await rowOf(page, 'A question').press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in another way' }).click();
  await page.waitForURL(/\/sign-in/);
});
