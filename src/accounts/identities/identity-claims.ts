import { isUuid } from '../../lib/ids.ts';
import { type IdentityProvider, tenantPlaceholder } from '../../settings/identity-settings.ts';

/** What a token's header and claims say, as they come: nothing is known of any type. */
export type Claims = Readonly<Record<string, unknown>>;

/** Why a token is refused, for the log: whoever sent it is told nothing. */
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
/** Google's tokens live for an hour, Entra's for a day at most: one that outlives them was not made there. */
const lifeSecondsMax = 24 * 3_600;

/** @returns what of a header keeps us from the token; undefined when it is one to look a key up by */
export function headerFault(header: Claims): Refusal | undefined {
  if (header.alg !== 'RS256') return 'algorithm';
  // Keys that a token brings along prove nothing, extensions that must be understood (RFC 7515 §4.1.11) are not.
  if (['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'enc', 'zip', 'cty'].some((name) => Object.hasOwn(header, name)))
    return 'header';
  // An access token is no proof of who is here (RFC 9068 §2.1), nor is a logout token.
  if (header.typ !== undefined && !/^(?:application\/)?jwt$/i.test(String(header.typ))) return 'header';
  return typeof header.kid === 'string' && /^[\x20-\x7e]{1,200}$/.test(header.kid) ? undefined : 'key';
}

export type Expectation = { provider: IdentityProvider; now: Date; nonce: string | undefined };

/** @returns which of OpenID Connect Core 1.0 §3.1.3.7's conditions the claims of a token do not meet */
export function claimsFault(claims: Claims, { provider, now, nonce }: Expectation): Refusal | undefined {
  if (issuerOf(claims) === undefined || issuerOf(claims) !== substituted(provider.issuer, claims)) return 'issuer';
  if (!isTenantAllowed(claims, provider)) return 'tenant';
  if (!isMeantFor(claims, provider.clientIds)) return 'audience';
  if (claims.scp !== undefined) return 'purpose';
  if (!isInTime(claims, now.getTime() / 1000)) return 'time';
  // §2: at most 255 ASCII characters.
  if (typeof claims.sub !== 'string' || !/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(claims.sub))
    return 'subject';
  return nonce === undefined || claims.nonce === nonce ? undefined : 'nonce';
}

/** Whether a key that the provider publishes for one issuer alone may have signed this; Entra's serve some tenants or all. */
export function isKeyFor(keyIssuer: string | null, claims: Claims): boolean {
  return keyIssuer === null || substituted(keyIssuer, claims) === issuerOf(claims);
}

/** The issuer in its one spelling; undefined when the claim is none. */
export function issuerOf({ iss }: Claims): string | undefined {
  if (typeof iss !== 'string') return undefined;
  return iss === 'accounts.google.com' ? `https://${iss}` : iss;
}

/** The tenant whose account it is, where the token names one. */
export function tenantOf({ tid }: Claims): string | undefined {
  return typeof tid === 'string' && isUuid(tid) ? tid : undefined;
}

/** @returns undefined when the template needs a tenant and the token names none */
function substituted(template: string, claims: Claims): string | undefined {
  if (!template.includes(tenantPlaceholder)) return template;
  const tenant = tenantOf(claims);
  return tenant === undefined ? undefined : template.replaceAll(tenantPlaceholder, () => tenant);
}

/** The one tenant that an issuer is of, lower case, where its address names one. */
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

/** For us and for nobody beside us; and where it says for whom it was made, for us too. */
function isMeantFor({ aud, azp }: Claims, clientIds: readonly string[]): boolean {
  const [audience, ...others] = [aud].flat();
  if (others.length > 0) return false;
  return [audience, ...(azp === undefined ? [] : [azp])].every(
    (id) => typeof id === 'string' && clientIds.includes(id),
  );
}

/** Whether it is good now, and was not made to be good for longer than such tokens are. */
export function isInTime({ exp, nbf = 0, iat = 0 }: Claims, now: number): boolean {
  if (!Number.isFinite(exp) || !Number.isFinite(nbf) || !Number.isFinite(iat)) return false;
  const [until, from, made] = [exp, nbf, iat] as [number, number, number]; // finite
  const isOver = until <= now - leewaySeconds;
  const isToCome = from > now + leewaySeconds || made > now + leewaySeconds;
  return !isOver && !isToCome && until <= now + lifeSecondsMax + leewaySeconds;
}
