import { afterAll, beforeEach, expect, test } from 'vitest';
import { openGraphEmulator } from '../../../emulators/graph.ts';
import { useHouse } from '../../../test/harness/harness.ts';
import { call, makeOwner, type Person } from '../../../test/worlds/factories.ts';
import { openGraph } from '../providers/graph.ts';

const graph = await openGraphEmulator();
afterAll(() => graph.close());
const publicUrl = 'https://desk.example';
const house = useHouse({ ...graph.settings, PUBLIC_URL: publicUrl });
const address = 'support@shop.example';

let owner: Person;
beforeEach(async () => {
  owner = await makeOwner(house);
  graph.addMailbox({ address });
  graph.behave({ needsApproval: true });
});

const begin = async () => {
  const begun = await owner.call('POST', '/mailboxes/connect', { provider: 'mail-a', address });
  expect(begun.status).toBe(201);
  return { ...begun.body, cookie: begun.headers.get('set-cookie')?.split(';')[0] ?? '' };
};
/** Opens a page of the provider. @returns the address that the provider redirects the browser to */
const open = async (url: string) =>
  (await fetch(url, { redirect: 'manual' })).headers.get('location')?.replace(publicUrl, '') ?? '';
const visit = (path: string, cookie = '') => call(house, 'GET', path, undefined, { cookie });

test('an administrator approves by a link of their own, and then people may consent', async () => {
  const refused = await begin();
  const page = await visit(await open(refused.consentUrl), refused.cookie);
  expect(page.body).toContain('An administrator of the organisation has to approve our application');
  expect(page.body).toContain('(access_denied)');

  const url = new URL(refused.adminConsentUrl);
  expect(url.pathname).toBe('/organizations/v2.0/adminconsent');
  expect(url.searchParams.get('state')).not.toBe(new URL(refused.consentUrl).searchParams.get('state'));
  // Another person's link, in a browser that began nothing.
  const approved = await visit(await open(refused.adminConsentUrl));
  expect([approved.status, approved.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(approved.body).toContain('The application is approved');

  const begun = await begin();
  expect((await visit(await open(begun.consentUrl), begun.cookie)).body).toContain('The mailbox is connected');
});

test.each([
  ['consent_required', 'AADSTS65001: The user or administrator has not consented.', 'has to approve'],
  ['access_denied', 'AADSTS90094: An administrator has set a policy.', 'has to approve'],
  ['access_denied', 'AADSTS53003: Access has been blocked by Conditional Access policies.', 'conditional access'],
  ['access_denied', 'AADSTS65004: User declined to consent to access the app.', 'Consent was declined'],
  ['access_denied', '', 'send one of your organisation the approval link'],
  ['server_error', 'Call 0800 1 at once', 'The provider gave no access (server_error). Begin again'],
])('a consent that ends with %s, %s, says what helps', async (error, description, words) => {
  const { consentUrl, cookie } = await begin();
  const state = new URL(consentUrl).searchParams.get('state') ?? '';
  const query = new URLSearchParams({ state, error, error_description: description, error_subcode: 'cancel' });
  const { body } = await visit(`/v1/mailboxes/callback?${query}`, cookie);
  expect(body).toContain('The mailbox is not connected');
  expect(body).toContain(words);
  expect(body).not.toContain('0800');
});

test('a denied approval says who may give it', async () => {
  const query = 'admin_consent=True&state=approval&error=consent_required&error_description=AADSTS65004';
  const { status, body } = await visit(`/v1/mailboxes/callback?${query}`);
  expect(status).toBe(200);
  expect(body).toContain('The application is not approved');
  expect(body).toContain('(consent_required)');
});

test('the link for administrators names the tenant of the settings; personal accounts have none', () => {
  const at = (tenant: string) =>
    openGraph({
      apiUrl: 'https://graph.microsoft.com/v1.0',
      tokenUrl: 'https://login.microsoftonline.com/x/oauth2/v2.0/token',
      authorizeUrl: `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/authorize`,
      client: { id: 'kontor', secret: 'of kontor' },
    }).adminConsentUrl({ redirectUri: 'https://desk.example/back', state: 's' });
  expect(at('consumers')).toBeNull();
  const url = new URL(at('11111111-1111-4111-8111-111111111111') ?? '');
  expect(url.pathname).toBe('/11111111-1111-4111-8111-111111111111/v2.0/adminconsent');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: 'kontor',
    redirect_uri: 'https://desk.example/back',
    state: 's',
    scope: expect.stringContaining('https://graph.microsoft.com/Mail.ReadWrite'),
  });
});
