import type { Clock } from '../../../ground/lib/clock.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import type { Logger } from '../../../ground/platform/log.ts';
import type { IdentityProvider } from '../../../ground/settings/identity-settings.ts';
import { type Identity, identityOf } from './identity.ts';
import { claimsFault, type Refusal } from './identity-claims.ts';
import { type KeySet, openKeySet } from './key-set.ts';
import { judgeToken } from './signed-token.ts';

/** A provider's token, and the nonce if the client bound the token to a nonce. */
type ShownToken = { idToken: string; nonce: string | undefined };

export type IdentityTokens = {
  /** Whether a provider is configured, looked up by its place or its configured name. */
  isOpen(providerName: string): boolean;
  /**
   * Finds out who signs in with a provider's token.
   * Throws `auth.provider_not_configured`, `auth.identity_token_invalid`, or `unavailable` while the provider's keys
   * are out of reach.
   */
  verify(providerName: string, shown: ShownToken): Promise<Identity>;
  close(): Promise<void>;
};

type TokenParts = { clock: Clock; log: Logger };

/** Verifies tokens of the configured providers. Fetches a key only when all but the signature has been checked. */
export function openIdentityTokens(providers: readonly IdentityProvider[], { clock, log }: TokenParts): IdentityTokens {
  const open = providers
    .filter(({ clientIds }) => clientIds.length > 0)
    .map((provider) => ({ provider, keys: openKeySet(keySourceOf(provider), { clock, log }) }));
  const find = (name: string) => open.find(({ provider }) => [provider.place, provider.name].includes(name));
  return {
    isOpen: (name) => find(name) !== undefined,
    verify: async (name, shown) => {
      const found = find(name);
      if (found === undefined) throw new AppError('auth.provider_not_configured');
      const judged = await judge(shown, found.provider, found.keys, clock.now());
      if (judged.ok) return judged.identity;
      log.info({ provider: found.provider.place, reason: judged.reason }, 'refused an identity token');
      throw new AppError('auth.identity_token_invalid');
    },
    close: async () => {
      await Promise.all(open.map(({ keys }) => keys.close()));
    },
  };
}

function keySourceOf({ jwksUri, discoveryUrl, issuer }: IdentityProvider) {
  return jwksUri === undefined ? { discoveryUrl, issuer } : { jwksUri };
}

type Judgement = { ok: true; identity: Identity } | { ok: false; reason: Refusal };

async function judge(
  { idToken, nonce }: ShownToken,
  provider: IdentityProvider,
  keys: KeySet,
  now: Date,
): Promise<Judgement> {
  const judged = await judgeToken(idToken, keys, (claims) => claimsFault(claims, { provider, now, nonce }));
  return judged.ok ? { ok: true, identity: identityOf(judged.claims, provider) } : judged;
}
