import { isUuid } from '../../../ground/lib/ids.ts';
import { type IdentityProvider, tenantPlaceholder } from '../../../ground/settings/identity-settings.ts';

/** A token's header or claims as they arrive, with unchecked types. */
export type Claims = Readonly<Record<string, unknown>>;

/** Why a token is refused. Only the log names the reason; the sender does not learn it. */
export type Refusal =
  | 'malformed'
  | 'algorithm'
  | 'header'
  | 'issuer'
  | 'tenant'
  | 'audience'
  | 'purpose'
  | 'time'
  | 'subject'
  | 'account'
  | 'nonce'
  | 'key'
  | 'signature';

const leewaySeconds = 60;
/** Google's tokens live for an hour, Entra's for at most a day. A token with a longer life came from neither. */
const lifeSecondsMax = 24 * 3_600;

/** @returns why the header rules the token out; undefined when the header names a usable key */
export function headerFault(header: Claims): Refusal | undefined {
  if (header.alg !== 'RS256') return 'algorithm';
  // Keys inside a token prove nothing. We support none of the extensions that `crit` requires (RFC 7515 §4.1.11).
  if (['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'enc', 'zip', 'cty'].some((name) => Object.hasOwn(header, name)))
    return 'header';
  // Access tokens (RFC 9068 §2.1) and logout tokens do not prove who signs in.
  if (header.typ !== undefined && !/^(?:application\/)?jwt$/i.test(String(header.typ))) return 'header';
  return typeof header.kid === 'string' && /^[\x20-\x7e]{1,200}$/.test(header.kid) ? undefined : 'key';
}

export type Expectation = { provider: IdentityProvider; now: Date; nonce: string | undefined };

/** @returns the condition of OpenID Connect Core 1.0 §3.1.3.7 that the claims fail */
export function claimsFault(claims: Claims, { provider, now, nonce }: Expectation): Refusal | undefined {
  if (issuerOf(claims) === undefined || issuerOf(claims) !== substituted(provider.issuer, claims)) return 'issuer';
  if (!isTenantAllowed(claims, provider)) return 'tenant';
  if (!isMeantFor(claims, provider.clientIds)) return 'audience';
  // Only Entra's access tokens have scopes.
  if (claims.scp !== undefined) return 'purpose';
  if (!isInTime(claims, now.getTime() / 1000)) return 'time';
  // §2: at most 255 ASCII characters.
  if (typeof claims.sub !== 'string' || !/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(claims.sub))
    return 'subject';
  return nonce === undefined || claims.nonce === nonce ? undefined : 'nonce';
}

/** Whether a key may sign for the token's issuer. Entra publishes keys for one tenant and keys for all of them. */
export function isKeyFor(keyIssuer: string | null, claims: Claims): boolean {
  return keyIssuer === null || substituted(keyIssuer, claims) === issuerOf(claims);
}

/** The issuer in its canonical spelling; undefined when the claim is not text. */
export function issuerOf({ iss }: Claims): string | undefined {
  if (typeof iss !== 'string') return undefined;
  return iss === 'accounts.google.com' ? `https://${iss}` : iss;
}

/** The tenant of the person's account, where the token names a tenant. */
export function tenantOf({ tid }: Claims): string | undefined {
  return typeof tid === 'string' && isUuid(tid) ? tid : undefined;
}

/** @returns undefined when the template needs a tenant and the token names none */
function substituted(template: string, claims: Claims): string | undefined {
  if (!template.includes(tenantPlaceholder)) return template;
  const tenant = tenantOf(claims);
  return tenant === undefined ? undefined : template.replaceAll(tenantPlaceholder, () => tenant);
}

/** The tenant in an issuer's address, in lower case; undefined when the address names no tenant. */
export function namedTenantOf(issuer: string): string | undefined {
  return /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i.exec(issuer)?.[0].toLowerCase();
}

function isTenantAllowed(claims: Claims, { issuer, allowedTenants }: IdentityProvider): boolean {
  const tenant = tenantOf(claims)?.toLowerCase();
  if (claims.tid !== undefined && tenant === undefined) return false;
  const named = namedTenantOf(issuer);
  if (named !== undefined && tenant !== undefined && tenant !== named) return false;
  return allowedTenants.length === 0 || (tenant !== undefined && allowedTenants.includes(tenant));
}

/** We must be the only audience and, where `azp` names the party that the token was issued to, that party as well. */
function isMeantFor({ aud, azp }: Claims, clientIds: readonly string[]): boolean {
  const [audience, ...others] = [aud].flat();
  if (others.length > 0) return false;
  return [audience, ...(azp === undefined ? [] : [azp])].every(
    (id) => typeof id === 'string' && clientIds.includes(id),
  );
}

/** Whether a token is valid now, and expires within the time for which Google and Entra make tokens. */
export function isInTime({ exp, nbf = 0, iat = 0 }: Claims, now: number): boolean {
  if (!Number.isFinite(exp) || !Number.isFinite(nbf) || !Number.isFinite(iat)) return false;
  const [until, from, made] = [exp, nbf, iat] as [number, number, number]; // finite
  const isOver = until <= now - leewaySeconds;
  const isToCome = from > now + leewaySeconds || made > now + leewaySeconds;
  return !isOver && !isToCome && until <= now + lifeSecondsMax + leewaySeconds;
}
