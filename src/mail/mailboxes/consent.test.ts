import { afterAll, beforeEach, expect, test } from 'vitest';
import { openGmailEmulator } from '../../../emulators/gmail.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { call, makeMember, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { sql } from '../../ground/database/sql.ts';
import { newId } from '../../ground/lib/ids.ts';
import { sweepMailboxes } from './sweep.ts';

const gmail = await openGmailEmulator();
afterAll(() => gmail.close());
/** A proxy serves the service below a path. */
const publicUrl = 'https://desk.example/kontor';
const house = useHouse({ ...gmail.settings, PUBLIC_URL: publicUrl });

let owner: Person;
let address: string;
beforeEach(async () => {
  owner = await makeOwner(house);
  address = `help-${newId().slice(-8)}@shop.example`;
  gmail.addMailbox({ address });
});

type Back = { state: string; code: string };

/**
 * Begins a consent and gives it. @returns the parameters that the provider sends the browser back with, and its cookie
 */
async function consent(person = owner, body: object = {}): Promise<Back & { cookie: string; url: string }> {
  const begun = await person.call('POST', '/mailboxes/connect', { provider: 'mail-b', address, ...body });
  expect(begun.status).toBe(201);
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
  const given = await fetch(begun.body.consentUrl, { redirect: 'manual' });
  const url = given.headers.get('location') ?? '';
  const { searchParams } = new URL(url);
  return { cookie, url, state: searchParams.get('state') ?? '', code: searchParams.get('code') ?? '' };
}
const visit = (url: string, cookie?: string) =>
  call(house, 'GET', url.replace(publicUrl, ''), undefined, { ...(cookie && { cookie }) });
const finish = ({ state, code }: Back, person = owner) =>
  person.call('POST', '/mailboxes/connect/finish', { state, code });
const listed = async () => (await owner.call('GET', '/mailboxes')).body;

test('the browser that began returns with a consent, and the mailbox is connected as requested', async () => {
  const agent = await makeMember(house, owner.workspaceId, 'agent');
  const options = { name: 'Help', defaultAssigneeId: agent.userId, defaultTags: ['shop'], historyDays: 3 };
  const begun = await owner.call('POST', '/mailboxes/connect', { provider: 'mail-b', ...options });
  expect(begun.headers.get('set-cookie')).toMatch(/^kontor_consent_[0-9a-f]{16}=[\w-]{43}; Max-Age=600; /);
  expect(begun.headers.get('set-cookie')).toMatch(/; Path=\/kontor\/v1\/mailboxes; HttpOnly; Secure; SameSite=Lax$/);
  const minutes = (Date.parse(begun.body.expiresAt) - house.clock.now().getTime()) / 60_000;
  expect(minutes).toBeGreaterThan(9);
  expect(Object.fromEntries(new URL(begun.body.consentUrl).searchParams)).toMatchObject({
    redirect_uri: `${publicUrl}/v1/mailboxes/callback`,
    state: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });

  const { url, cookie } = await consent(owner, options);
  const page = await visit(url, `other=1; ${cookie}`);
  expect([page.status, page.headers.get('content-type'), page.headers.get('referrer-policy')]).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-referrer',
  ]);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('set-cookie')).toMatch(/^kontor_consent_[0-9a-f]{16}=; .*Max-Age=0/);
  expect(page.body).toContain(`Mail that comes to ${address} becomes tickets`);
  expect(await listed()).toMatchObject([
    { address, status: 'active', name: 'Help', defaultAssigneeId: agent.userId, defaultTags: ['shop'] },
  ]);
  expect((await owner.call('GET', '/audit?type=mailbox.connected')).body.items).toMatchObject([
    { actor: { userId: owner.userId } },
  ]);
});

test('a consent that began in the web inbox leads back there with its outcome', async () => {
  const lead = async (path: string, cookie: string) => {
    const { status, headers } = await fetch(`${house.url}${path}`, { redirect: 'manual', headers: { cookie } });
    return { status, to: headers.get('location'), cookies: decodeURIComponent(headers.getSetCookie().join('\n')) };
  };
  const given = await consent(owner, { returnTo: 'settings' });
  const back = await lead(given.url.replace(publicUrl, ''), given.cookie);
  const [{ id }] = await listed();
  expect(back).toMatchObject({ status: 303, to: `${publicUrl}/settings/mailboxes/${id}?consent=connected` });

  const declined = await consent(owner, { returnTo: 'settings' });
  const path = `/v1/mailboxes/callback?state=${declined.state}&error=access_denied`;
  const refused = await lead(path, declined.cookie);
  expect(refused).toMatchObject({ status: 303, to: `${publicUrl}/settings/mailboxes?consent=refused` });
  expect(refused.cookies).toMatch(/kontor_refusal=The provider gave no access \(access_denied\)\. /);
  expect(refused.cookies).toMatch(/Max-Age=300; Path=\/kontor\/settings\/mailboxes; Secure; SameSite=Lax/);
  // Another browser has no place to return to.
  const other = await consent(owner, { returnTo: 'settings' });
  expect((await visit(other.url)).body).toContain('/mailboxes/connect/finish');
  const elsewhere = await owner.call('POST', '/mailboxes/connect', {
    provider: 'mail-b',
    returnTo: 'https://evil.example',
  });
  expect(elsewhere.status).toBe(400);
});

test('a consent works once', async () => {
  const given = await consent();
  expect((await visit(given.url, given.cookie)).body).toContain('is connected');
  expect((await visit(given.url, given.cookie)).body).toContain('is not connected');
  expect(await finish(given)).toMatchObject({ status: 410, body: { key: 'mailbox.consent_expired' } });
});

test('of two concurrent requests with a consent one connects', async () => {
  const given = await consent();
  const statuses = (await Promise.all([finish(given), finish(given)])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, 410]);
});

test('without the cookie nothing is connected, and only the member who began can finish', async () => {
  const given = await consent();
  expect((await visit(given.url)).body).toContain('/mailboxes/connect/finish');
  expect((await visit(given.url, `${given.cookie.split('=')[0]}=${'x'.repeat(43)}`)).body).toContain(
    'is not connected',
  );
  const [colleague, stranger] = [await makeMember(house, owner.workspaceId, 'admin'), await makeOwner(house)];
  for (const person of [colleague, stranger]) expect((await finish(given, person)).status).toBe(410);
  expect(await listed()).toEqual([]);
  expect(await finish(given)).toMatchObject({ status: 201, body: { address, status: 'active' } });
});

test('a consent that was declined, for another mailbox, or incomplete connects nothing', async () => {
  const declined = await consent();
  const back = `/v1/mailboxes/callback?state=${declined.state}&error=`;
  expect((await visit(`${back}call+0800+1+at+once`)).body).toContain('The provider gave no access. Begin');
  expect((await visit(`${back}access_denied`, declined.cookie)).body).toContain('no access (access_denied). Begin');
  expect((await visit(declined.url, declined.cookie)).body).toContain('is not connected');

  const other = `other-${address}`;
  gmail.addMailbox({ address: other });
  const { state, cookie } = await consent();
  const { code } = await consentTo(other, state);
  const refused = await visit(`/v1/mailboxes/callback?state=${state}&code=${encodeURIComponent(code)}`, cookie);
  expect(refused.body).toContain('is not connected');

  gmail.addMailbox({ address, scopes: ['https://www.googleapis.com/auth/gmail.readonly'] });
  const less = await finish(await consent());
  expect(less).toMatchObject({ status: 400, body: { key: 'mailbox.not_authorized' } });
  expect(await listed()).toEqual([]);
});

/** A code for another mailbox than intended, as after a switch of accounts at the provider. */
async function consentTo(other: string, state: string): Promise<Back> {
  const { headers } = await fetch(
    [
      `${gmail.settings.MAIL_B_AUTHORIZE_URL}?client_id=${gmail.settings.MAIL_B_CLIENT_ID}&response_type=code`,
      `scope=x&login_hint=${other}&state=${state}`,
      `redirect_uri=${encodeURIComponent(`${publicUrl}/v1/mailboxes/callback`)}`,
    ].join('&'),
    { redirect: 'manual' },
  );
  return { state, code: new URL(headers.get('location') ?? '').searchParams.get('code') ?? '' };
}

test('a code of another state fails its verifier', async () => {
  const [one, other] = [await consent(), await consent()];
  const swapped = await finish({ state: one.state, code: other.code });
  expect(swapped).toMatchObject({ status: 400, body: { key: 'mailbox.not_authorized' } });
  expect(await listed()).toEqual([]);
});

test('after ten minutes, or after the member lost the role, nothing is connected', async () => {
  const admin = await makeMember(house, owner.workspaceId, 'admin');
  const given = await consent(admin);
  await owner.call('PATCH', `/members/${admin.userId}`, { role: 'agent' });
  expect((await visit(given.url, given.cookie)).body).toContain('Your role in this workspace does not allow this.');

  const late = await consent();
  house.clock.advance(600_000);
  expect((await visit(late.url, late.cookie)).body).toContain('has expired');
  await sweepMailboxes(house.app);
  expect(await house.app.db.rows(sql`select 1 from mailbox_consents`)).toEqual([]);
  expect(await listed()).toEqual([]);
});

test('a link with neither a code nor an error is refused as a bad request', async () => {
  const answer = await visit('/v1/mailboxes/callback?state=x');
  expect(answer).toMatchObject({ status: 400, body: { params: { issues: [{ path: 'query.code' }] } } });
});

test('state and verifier are not stored in the clear, and a repeated request shows no secret twice', async () => {
  const headers = { 'idempotency-key': newId() };
  const begin = () => owner.call('POST', '/mailboxes/connect', { provider: 'mail-b', address }, headers);
  const { body } = await begin();
  expect(await begin()).toMatchObject({ status: 409, body: { key: 'idempotency.secret_not_repeatable' } });
  const state = new URL(body.consentUrl).searchParams.get('state') ?? '';
  const rows = await house.app.db.rows<{ codeVerifier: string }>(sql`
    select code_verifier as "codeVerifier", to_jsonb(c)::text as text from mailbox_consents c
    where workspace_id = ${owner.workspaceId}`);
  expect(rows).toMatchObject([{ codeVerifier: expect.stringMatching(/^v1\./) }]);
  expect(JSON.stringify(rows)).not.toContain(state);
});
