import { expect, test } from 'vitest';
import { scratchFolder } from '../../../test/harness/scratch-folder.ts';
import { readConfig } from './config.ts';

const tenant = '11111111-1111-4111-8111-111111111111';
const read = (settings: Record<string, string>) => readConfig({ DATA_DIR: scratchFolder(), ...settings });
const providerOf = (settings: Record<string, string>, index: number) => read(settings).identityProviders[index];

test('the defaults name Google and Microsoft, without client ids', () => {
  expect(read({}).identityProviders).toEqual([
    {
      place: 'oauth_a',
      name: 'google',
      issuer: 'https://accounts.google.com',
      discoveryUrl: 'https://accounts.google.com/.well-known/openid-configuration',
      authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
      jwksUri: undefined,
      clientIds: [],
      allowedTenants: [],
    },
    {
      place: 'oauth_b',
      name: 'microsoft',
      issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
      discoveryUrl: 'https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration',
      authorizeUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
      jwksUri: undefined,
      clientIds: [],
      allowedTenants: [],
    },
  ]);
});

test.each([
  ['accounts.google.com', 'https://accounts.google.com', 'https://accounts.google.com'],
  ['https://id.example/realm/', 'https://id.example/realm/', 'https://id.example/realm'],
])('the issuer %s becomes %s, and its discovery document is at %s', (text, issuer, at) => {
  const discoveryUrl = `${at}/.well-known/openid-configuration`;
  expect(providerOf({ OAUTH_A_ISSUER: text }, 0)).toMatchObject({ issuer, discoveryUrl });
});

test.each([
  ['common', '{tenantid}', 'common'],
  ['organizations', '{tenantid}', 'organizations'],
  ['consumers', '9188040d-6c67-4c5b-b112-36a304b66dad', 'consumers'],
  ['{tenantid}', '{tenantid}', 'common'],
  [tenant, tenant, tenant],
])('Entra’s %s stands for the tenant %s, and its discovery document is at %s', (named, stands, at) => {
  const base = 'https://login.microsoftonline.com';
  expect(providerOf({ OAUTH_B_ISSUER: `${base}/${named}/v2.0` }, 1)).toMatchObject({
    issuer: `${base}/${stands}/v2.0`,
    discoveryUrl: `${base}/${at}/v2.0/.well-known/openid-configuration`,
  });
});

test.each([
  ['OAUTH_A_NAME', 'local'],
  ['OAUTH_A_NAME', 'oauth_b'],
  ['OAUTH_A_NAME', 'microsoft'],
  ['OAUTH_B_NAME', 'google'],
  ['OAUTH_B_NAME', 'a name'],
  ['OAUTH_A_ISSUER', 'http://id.example'],
  ['OAUTH_A_ISSUER', 'http://127.0.0.1.evil.example'],
  ['OAUTH_A_ISSUER', 'nonsense'],
  ['OAUTH_A_JWKS_URI', 'http://id.example/keys'],
  ['OAUTH_A_JWKS_URI', 'file:///etc/keys'],
  ['OAUTH_B_JWKS_URI', 'https://user:password@id.example/keys'],
  ['OAUTH_B_ALLOWED_TENANTS', `${tenant}, contoso.example`],
])('%s is not %s', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(`\n  ${name}: `);
});

test.each(['http://127.0.0.1:9100', 'http://localhost:9100', 'http://[::1]:9100', 'https://id.example'])(
  '%s may serve keys',
  (url) => expect(providerOf({ OAUTH_A_JWKS_URI: `${url}/keys` }, 0)?.jwksUri).toBe(`${url}/keys`),
);

test('lists are split at commas, and tenants may have any case', () => {
  const settings = { OAUTH_B_CLIENT_ID: 'one, two', OAUTH_B_ALLOWED_TENANTS: tenant.toUpperCase() };
  expect(providerOf(settings, 1)).toMatchObject({ clientIds: ['one', 'two'], allowedTenants: [tenant] });
});

test('a warning says that accounts of any tenant may sign in', () => {
  const warns = (settings: Record<string, string>) => read(settings).warnings.join().includes('ALLOWED_TENANTS');
  expect(warns({ OAUTH_B_CLIENT_ID: 'c' })).toBe(true);
  expect(warns({})).toBe(false);
  expect(warns({ OAUTH_B_CLIENT_ID: 'c', OAUTH_B_ALLOWED_TENANTS: tenant })).toBe(false);
  const issuer = `https://login.microsoftonline.com/${tenant}/v2.0`;
  expect(warns({ OAUTH_B_CLIENT_ID: 'c', OAUTH_B_ISSUER: issuer })).toBe(false);
});

test('browsers go to the pages of Google and Microsoft unless a setting names other pages', () => {
  expect(providerOf({}, 0)?.authorizeUrl).toBe('https://accounts.google.com/o/oauth2/v2/auth');
  expect(providerOf({}, 1)?.authorizeUrl).toBe('https://login.microsoftonline.com/common/oauth2/v2.0/authorize');
  expect(providerOf({ OAUTH_A_ISSUER: 'https://id.example' }, 0)?.authorizeUrl).toBeUndefined();
  const settings = { OAUTH_A_ISSUER: 'https://id.example', OAUTH_A_AUTHORIZE_URL: 'https://id.example/authorize' };
  expect(providerOf(settings, 0)?.authorizeUrl).toBe('https://id.example/authorize');
});
