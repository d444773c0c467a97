import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newestToken } from '../../harness/links.ts';
import { axeFaults, password, searchOf, useWebPages } from '../../pages/web-pages.ts';
import { call, givePassword, makeOwner } from '../../worlds/factories.ts';
import { useIdentityHouse } from '../../worlds/identity-house.ts';

const googlePage = 'https://accounts.google.example/authorize';
const house = useIdentityHouse(() => ({ OAUTH_A_AUTHORIZE_URL: googlePage }));
const { openPage } = useWebPages(house);

const lists = (page: Page) => page.getByRole('navigation', { name: 'Lists' });

/** Fills in a form by the labels of its fields, and sends it. */
async function send(page: Page, fields: Record<string, string>, button: string): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: button }).click();
}

const first = {
  'Your name': 'Ada',
  'Email address': 'ada@example.org',
  Password: password,
  'Workspace name': 'Support',
};

test('only the first person of all is welcomed', async () => {
  const { page, complaints } = await openPage();
  await page.goto('/t/1');
  await page.getByRole('heading', { name: 'Welcome to Kontor' }).waitFor();
  await page.getByLabel('Password', { exact: true }).fill('password1');
  await page.getByText('Guessed at once').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await send(page, first, 'Get started');
  await lists(page).waitFor();
  const { page: other } = await openPage();
  await other.goto('/welcome');
  await other.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a sign-in leads to the page that the person wanted', async () => {
  const person = await givePassword(house, await makeOwner(house), password);
  const { page } = await openPage();
  await page.goto('/?status=closed');
  await send(page, { 'Email address': person.email, Password: password }, 'Sign in');
  await lists(page).waitFor();
  await expect.poll(() => searchOf(page)).toBe('?status=closed');
});

/** Google's page, which answers at once for one account. */
async function answerAsGoogle(page: Page, tokenFor: (nonce: string) => string): Promise<void> {
  await page.route(`${googlePage}**`, (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const answer = new URLSearchParams({
      state: asked.get('state') ?? '',
      id_token: tokenFor(asked.get('nonce') ?? ''),
    });
    return route.fulfill({ status: 302, headers: { location: `${asked.get('redirect_uri')}#${answer}` } });
  });
}

test('an account of a provider signs in, and an unrequested answer of the provider does not', async () => {
  const person = await givePassword(house, await makeOwner(house), password);
  const tokenFor = (nonce: string) =>
    house.providers.mint({
      family: 'google',
      claims: { sub: 'google-ada', email: person.email, email_verified: true, hd: 'example.org', nonce },
    });
  await person.call('POST', '/v1/me/identities', { provider: 'google', idToken: tokenFor('x'), nonce: 'x', password });
  const { page } = await openPage();
  await answerAsGoogle(page, tokenFor);
  await page.goto(`/sign-in#state=forged&id_token=${tokenFor('forged')}`);
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await lists(page).waitFor();
  await expect.poll(() => page.url()).not.toContain('id_token');
});

test('a person links an account of a provider with the password, and unlinks it', async () => {
  const person = await givePassword(house, await makeOwner(house), password);
  const { page } = await openPage();
  await answerAsGoogle(page, (nonce) =>
    house.providers.mint({ family: 'google', claims: { sub: 'google-eve', email: 'eve@gmail.example', nonce } }),
  );
  await page.goto('/settings/security');
  await send(page, { 'Email address': person.email, Password: password }, 'Sign in');
  const linked = page.getByRole('region', { name: 'Other ways to sign in' });
  await linked.getByRole('button', { name: 'Link an account at Google' }).press('Enter');
  await linked.getByText('eve@gmail.example will sign in to this account.').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await linked.getByLabel('Current password').fill('not the password');
  await page.keyboard.press('Enter');
  await linked.getByRole('alert').waitFor();
  await linked.getByLabel('Current password').fill(password);
  await page.keyboard.press('Enter');
  await linked.getByText('Google · linked').waitFor();
  await linked.getByRole('button', { name: 'Unlink Google' }).press('Enter');
  await linked.getByLabel('Current password').fill(password);
  await page.keyboard.press('Enter');
  await linked.getByText('Google · linked').waitFor({ state: 'detached' });
  expect((await person.call('GET', '/v1/me/identities')).body).toEqual([]);
});

test('a dead link offers a new one', async () => {
  const person = await givePassword(house, await makeOwner(house), password);
  const { page } = await openPage();
  await page.goto('/reset-password?token=long-gone');
  await send(page, { 'New password': 'another long password' }, 'Set a new password');
  await page.getByText('This link has expired').waitFor();
  await send(page, { 'Email address': person.email }, 'Send link');
  await page.getByText('an email with a link is on its way').waitFor();
  await house.drain();
  await page.goto(`/reset-password?token=${await newestToken(house, person.email)}`);
  await send(page, { 'New password': 'another long password' }, 'Set a new password');
  await page.getByText('Your new password is set').waitFor();
});

test('the page of a verification link asks for the password that counts from then on', async () => {
  const email = 'newcomer@example.org';
  const signIn = (tried: string) =>
    call(house, 'POST', '/v1/auth/session', { provider: 'local', email, password: tried });
  await call(house, 'POST', '/v1/auth/register', { email, password });
  await call(house, 'POST', '/v1/auth/resend-verification', { email });
  const { page } = await openPage();
  await page.goto(`/verify-email?token=${await newestToken(house, email)}`);
  await send(page, { Password: 'another long password' }, 'Confirm the address');
  await page.getByText('Your address is verified').waitFor();
  expect((await signIn(password)).status).toBe(401);
  expect((await signIn('another long password')).status).toBe(200);
});

test('without mail an inviter hands over the link, whose page names inviter, workspace and address', async () => {
  const host = await givePassword(house, await makeOwner(house, 'New Shop'), password);
  const { page } = await openPage();
  await page.goto('/settings/members');
  await send(page, { 'Email address': host.email, Password: password }, 'Sign in');
  await page.getByRole('button', { name: 'Invite people' }).click();
  await send(page, { 'Email address': 'Carl@example.org' }, 'Create invitation link');
  await page.getByText('Give this link to Carl@example.org yourself.').waitFor();
  const link = await page.getByLabel('Link for Carl@example.org', { exact: true }).inputValue();
  expect(await axeFaults(page)).toEqual([]);
  const { page: guest, complaints } = await openPage();
  const { pathname, search } = new URL(link);
  await guest.goto(pathname + search);
  await guest.getByText('invites you to New Shop.').waitFor();
  expect(await guest.getByLabel('Email address').inputValue()).toBe('Carl@example.org');
  await send(guest, { Password: 'short' }, 'Accept invitation');
  await guest.getByText('“Password” needs at least 8 characters.').waitFor();
  await guest.getByRole('button', { name: 'Show the password' }).click();
  expect(await guest.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('text');
  expect(await axeFaults(guest)).toEqual([]);
  await send(guest, { Password: password, 'Your name, if you have no account yet': 'Carl' }, 'Accept invitation');
  await lists(guest).waitFor();
  expect(complaints).toEqual([]);
});

test('the signed-in account accepts an invitation', async () => {
  const guest = await givePassword(house, await makeOwner(house), password);
  const host = await makeOwner(house);
  await host.call('POST', '/invites', { email: guest.email, role: 'agent' });
  const { page } = await openPage();
  await page.goto('/sign-in');
  await send(page, { 'Email address': guest.email, Password: password }, 'Sign in');
  await lists(page).waitFor();
  await page.goto(`/accept-invite?token=${await newestToken(house, guest.email)}`);
  await page.getByRole('button', { name: `Accept as ${guest.email}` }).click();
  await page.getByRole('button', { name: /^Workspace: / }).waitFor();
  await page.goto('/workspaces');
  await expect.poll(() => page.getByRole('listitem').count()).toBe(2);
  expect(await axeFaults(page)).toEqual([]);
});
