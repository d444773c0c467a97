import { afterAll, beforeAll } from 'vitest';
import { type IdentityEmulator, openIdentityEmulator, someTenant } from '../../emulators/identity.ts';
import { googleIssuer } from '../../src/ground/settings/identity-settings.ts';
import { buildHouse, type House } from '../harness/harness.ts';
import { type Answer, call } from './factories.ts';

/** A house that trusts the emulated Google and Entra, and one tenant of Entra. */
export type IdentityHouse = House & {
  providers: IdentityEmulator;
  signIn(provider: string, idToken: unknown, more?: object): Promise<Answer>;
};

export function useIdentityHouse(settings: (providers: IdentityEmulator) => Record<string, string> = () => ({})) {
  const house = {} as IdentityHouse & { close(): Promise<void> };
  beforeAll(async () => {
    // The emulator's tokens follow the house's clock.
    const providers = await openIdentityEmulator({ now: () => house.clock?.now() ?? new Date() });
    const built = await buildHouse({
      OAUTH_A_ISSUER: providers.url,
      OAUTH_A_CLIENT_ID: 'client-of-kontor, client-of-the-app',
      OAUTH_B_ISSUER: providers.entraIssuer(),
      OAUTH_B_CLIENT_ID: 'client-of-kontor',
      OAUTH_B_ALLOWED_TENANTS: someTenant,
      ...settings(providers),
    });
    Object.assign(house, built, {
      providers,
      signIn: (provider: string, idToken: unknown, more: object = {}) =>
        call(built, 'POST', '/v1/auth/session', { provider, idToken, ...more }),
    });
  });
  afterAll(async () => {
    await house.close?.();
    await house.providers?.close();
  });
  return house;
}

/**
 * Settings that make the emulator Google's own issuer, as in production. Only that issuer can vouch for a `gmail.com`
 * address.
 */
export function asGoogle(providers: IdentityEmulator): Record<string, string> {
  providers.googleIssuer = googleIssuer;
  return { OAUTH_A_ISSUER: googleIssuer, OAUTH_A_JWKS_URI: `${providers.url}/oauth2/v3/certs` };
}
