import { compactVerify, errors } from 'jose';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { IdentityProvider } from '../platform/identity-settings.ts';
import type { Logger } from '../platform/log.ts';
import { type Identity, identityOf } from './identity.ts';
import { type Claims, claimsFault, headerFault, isKeyFor, type Refusal } from './identity-claims.ts';
import { type KeySet, openKeySet, type SigningKey } from './key-set.ts';

/** A provider's token, and the nonce that the client bound it to, where it did. */
type ShownToken = { idToken: string; nonce: string | undefined };

export type IdentityTokens = {
  /** Whether a provider is set up, named by its place or its configured name. */
  isOpen(providerName: string): boolean;
  /**
   * Who signs in with a token of a provider.
   * Throws `auth.provider_not_configured`, `auth.identity_token_invalid`, or `unavailable` while the provider's keys are out of reach.
   */
  verify(providerName: string, shown: ShownToken): Promise<Identity>;
  close(): Promise<void>;
};

type Parts = { clock: Clock; log: Logger };

/** Verifies tokens of the providers that are set up. A key is fetched only for what could be a good token but for its signature. */
export function openIdentityTokens(providers: readonly IdentityProvider[], { clock, log }: Parts): IdentityTokens {
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
      log.info({ provider: found.provider.place, reason: judged.reason }, 'an identity token was refused');
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
  const parts = partsOf(idToken);
  if (parts === undefined) return { ok: false, reason: 'malformed' };
  const { header, claims } = parts;
  const fault = headerFault(header) ?? claimsFault(claims, { provider, now, nonce });
  if (fault !== undefined) return { ok: false, reason: fault };
  const published = await keys.find(String(header.kid)); // text: headerFault
  const fitting = published.filter(({ issuer }) => isKeyFor(issuer, claims));
  if (fitting.length === 0) return { ok: false, reason: 'key' };
  for (const key of fitting) {
    if (await isSignedWith(idToken, key)) return { ok: true, identity: identityOf(claims, provider) };
  }
  return { ok: false, reason: 'signature' };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A signed token in compact form and nothing else (RFC 7515 §7.1): encrypted ones have five parts. */
function partsOf(token: string): { header: Claims; claims: Claims } | undefined {
  const parts = /^([\w-]+)\.([\w-]+)\.[\w-]+$/.exec(token);
  const [header, claims] = [parts?.[1], parts?.[2]].map((part) => (part === undefined ? undefined : objectOf(part)));
  return header === undefined || claims === undefined ? undefined : { header, claims };
}

function objectOf(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(Buffer.from(part, 'base64url')));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}

async function isSignedWith(token: string, { key }: SigningKey): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: ['RS256'] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}
