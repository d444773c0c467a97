import { expect, test } from 'vitest';
import type { OAuthProvider, ProviderAccount } from '../provider.ts';
import { verifyConsent } from './verify-grant.ts';

const tokens = { accessToken: 'access', expiresInSeconds: 3_600, refreshToken: 'refresh', scopes: null };

/** The grant of a consent when the provider names this address. */
function consentOf(address: string) {
  const account: Partial<ProviderAccount> = {
    profile: async () => ({ address, userId: null, delegateAddress: null }),
    aliases: async () => [`sales@shop.example`, address, 'no address', 'Sales@shop.example'],
  };
  const provider: Partial<OAuthProvider> = {
    redeemCode: async () => tokens,
    openAccount: () => account as ProviderAccount, // The test needs no other member.
  };
  const grant = {
    code: 'code',
    codeVerifier: 'verifier',
    redirectUri: 'https://desk.example/back',
    address: undefined,
    sharedAddress: undefined,
  };
  return verifyConsent(provider as OAuthProvider, grant);
}

test('a mailbox gets the address that its provider names', async () => {
  expect(await consentOf('Help@shop.example')).toEqual({
    tokens,
    address: 'Help@shop.example',
    userId: null,
    delegateAddress: null,
    aliases: ['Sales@shop.example'],
  });
});

test.each([
  '',
  'help',
  'help@',
  'a@b.example\r\nBcc: c@d.example',
  'a@b, c@d',
  '<a@b>',
  'a\u0000@b',
  'a\ud800@b',
  `${'a'.repeat(255)}@b`,
])('a mailbox with the address %j is not connected', async (address) => {
  await expect(consentOf(address)).rejects.toMatchObject({
    key: 'mailbox.not_authorized',
    params: { code: 'no_address' },
  });
});
