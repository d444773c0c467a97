import { type CryptoKey, importJWK } from 'jose';
import type { Clock } from '../../../ground/lib/clock.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import type { Logger } from '../../../ground/platform/log.ts';
import { isSafeAddress } from '../../../ground/settings/identity-settings.ts';
import { fetchJson } from './fetch-json.ts';

/** A key that signs tokens with RS256. */
export type SigningKey = {
  key: CryptoKey;
  /** The only issuer that the key may sign for, where the provider names an issuer; may be a template (Entra). */
  issuer: string | null;
};

/** A provider's current signing keys, by their `kid`. */
export type KeySet = {
  /**
   * @returns an empty list when the provider has no such key
   * Throws `unavailable` while the provider's keys are out of reach and the cached keys cannot answer.
   */
  find(kid: string): Promise<SigningKey[]>;
  /** Aborts a running fetch. */
  close(): Promise<void>;
};

/** Where keys are published: at a fixed address, or at the address that this issuer's discovery document names. */
export type KeySource = { jwksUri: string } | { discoveryUrl: string; issuer: string };

/** Providers rotate keys without notice, so keys are refreshed hourly. Keys not confirmed for a day are not trusted. */
const refreshMs = 3_600_000;
const liveMs = 24 * 3_600_000;
/** Limits how often tokens with made-up key ids can make us fetch. */
const unknownEveryMs = 60_000;
/** Limits how often sign-ins during an outage can make us fetch. */
const failurePauseMs = 1_000;
const retryAfterSeconds = 5;
const keysMax = 200;

/** Fetches and caches a provider's keys. Concurrent callers share one fetch. The last good keys outlive an outage. */
export function openKeySet(source: KeySource, { clock, log }: { clock: Clock; log: Logger }): KeySet {
  const closing = new AbortController();
  let keys = new Map<string, SigningKey[]>();
  const at = { loaded: Number.NEGATIVE_INFINITY, tried: Number.NEGATIVE_INFINITY, asked: Number.NEGATIVE_INFINITY };
  let hasFailed = false;
  let loading: Promise<void> | undefined;
  const since = (moment: keyof typeof at) => clock.now().getTime() - at[moment];

  const load = (): Promise<void> => {
    at.tried = clock.now().getTime();
    loading ??= fetchKeys(source, closing.signal)
      .then((fetched) => {
        keys = fetched;
        at.loaded = clock.now().getTime();
        hasFailed = false;
      })
      .catch((err) => {
        hasFailed = true;
        if (!closing.signal.aborted) log.warn({ err, ...source }, "an identity provider's keys could not be fetched");
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };

  return {
    find: async (kid) => {
      if (since('loaded') >= liveMs) {
        if (loading !== undefined || since('tried') >= failurePauseMs) await load();
        if (since('loaded') >= liveMs) throw outOfReach();
      } else if (since('loaded') >= refreshMs && since('tried') >= unknownEveryMs) {
        // Refreshes in the background: the current sign-in uses the cached keys. `close` waits for the fetch.
        void load();
      }
      const known = keys.get(kid);
      if (known !== undefined) return known;
      if (loading !== undefined || since('asked') >= unknownEveryMs) {
        at.asked = loading === undefined ? clock.now().getTime() : at.asked;
        await load();
      }
      const found = keys.get(kid);
      if (found === undefined && hasFailed) throw outOfReach();
      return found ?? [];
    },
    close: async () => {
      closing.abort();
      await loading;
    },
  };
}

function outOfReach(): AppError {
  return new AppError('unavailable', {}, { headers: { 'retry-after': String(retryAfterSeconds) } });
}

async function fetchKeys(source: KeySource, signal: AbortSignal): Promise<Map<string, SigningKey[]>> {
  const jwksUri = 'jwksUri' in source ? source.jwksUri : await discoverKeys(source, signal);
  const { keys: published } = (await fetchJson(jwksUri, { signal })) as { keys?: unknown };
  if (!Array.isArray(published)) throw new Error('what the provider publishes is no JSON Web Key Set');
  if (published.length > keysMax) throw new Error(`the provider publishes more than ${keysMax} keys`);
  const keys = new Map<string, SigningKey[]>();
  for (const jwk of published) {
    const kid = (jwk as Jwk | null)?.kid;
    const key = await importKey(jwk);
    if (key !== undefined && kid !== undefined) keys.set(kid, [...(keys.get(kid) ?? []), key]);
  }
  // A set without any is a fault of the provider's rather than its last word.
  if (keys.size === 0) throw new Error('the provider publishes no key that signs with RS256');
  return keys;
}

/** OpenID Connect Discovery 1.0 §4.3: the document must name the issuer that it was asked for. */
async function discoverKeys(
  { discoveryUrl, issuer }: { discoveryUrl: string; issuer: string },
  signal: AbortSignal,
): Promise<string> {
  const metadata = (await fetchJson(discoveryUrl, { signal })) as { issuer?: unknown; jwks_uri?: unknown };
  if (metadata.issuer !== issuer) throw new Error('the discovery document is of another issuer');
  if (typeof metadata.jwks_uri !== 'string' || !isSafeAddress(metadata.jwks_uri)) {
    throw new Error('the discovery document names no address of keys that may be asked');
  }
  return metadata.jwks_uri;
}

type Jwk = { kid?: string; kty?: string; use?: string; alg?: string; n?: string; e?: string; issuer?: string };

const modulusBitsMin = 2_048;

/** @returns undefined for a key that cannot sign with RS256, or is too short. A set may contain such keys. */
async function importKey(jwk: unknown): Promise<SigningKey | undefined> {
  if (typeof jwk !== 'object' || jwk === null) return undefined;
  const { kid, kty, use = 'sig', alg = 'RS256', n, e, issuer } = jwk as Jwk;
  if (typeof kid !== 'string' || typeof n !== 'string' || typeof e !== 'string') return undefined;
  if (kty !== 'RSA' || use !== 'sig' || alg !== 'RS256') return undefined;
  const key = await importJWK({ kty, n, e }, 'RS256').catch(() => undefined);
  if (key === undefined || key instanceof Uint8Array) return undefined;
  const isLong = 'modulusLength' in key.algorithm && Number(key.algorithm.modulusLength) >= modulusBitsMin;
  return isLong ? { key, issuer: typeof issuer === 'string' ? issuer : null } : undefined;
}
