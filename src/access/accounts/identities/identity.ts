import { isEmailAddress } from '../../../ground/http/schema.ts';
import { isUuid } from '../../../ground/lib/ids.ts';
import { firstCodePoints } from '../../../ground/lib/text.ts';
import { googleIssuer, type IdentityProvider, tenantPlaceholder } from '../../../ground/settings/identity-settings.ts';
import { type Claims, namedTenantOf, tenantOf } from './identity-claims.ts';

/** The person who signs in, according to a verified token. */
export type Identity = {
  provider: IdentityProvider['place'];
  issuer: string;
  /** The issuer's names for the person. Each name alone identifies the person. */
  subjects: string[];
  email: string | null;
  name: string | null;
  /** The provider vouches that the person owns the address now, so an account with that address is theirs. */
  isVouched: boolean;
  /** The person owned the address at some time. */
  isEmailVerified: boolean;
};

const nameCodePointsMax = 200;

/** Reads the person from verified claims. Only `email` is an address: `upn` and similar claims are for display. */
export function identityOf(claims: Claims, provider: IdentityProvider): Identity {
  const email = addressOf(claims);
  const isVouched = email !== null && vouchers[provider.place](claims, email, provider);
  return {
    provider: provider.place,
    issuer: provider.issuer.replaceAll(tenantPlaceholder, () => tenantOf(claims)?.toLowerCase() ?? ''),
    subjects: subjectsOf(claims, provider),
    email,
    name: nameOf(claims),
    isVouched,
    isEmailVerified: isVouched || (email !== null && provider.place === 'oauth_a' && hasVerifiedEmail(claims)),
  };
}

/**
 * Entra gives a person a different `sub` for each client id. The object id is the same throughout the tenant, but comes
 * only with the scope `profile`.
 */
function subjectsOf({ sub, oid, tid }: Claims, { issuer }: IdentityProvider): string[] {
  const isOfTenant = tid !== undefined && (issuer.includes(tenantPlaceholder) || namedTenantOf(issuer) !== undefined);
  const objectIds = isOfTenant && typeof oid === 'string' && isUuid(oid) ? [`oid:${oid.toLowerCase()}`] : [];
  return [...objectIds, plainSubject(String(sub))];
}

/** Prefixes a `sub` that begins like one of our own prefixes, so that it never matches another person's object id. */
function plainSubject(sub: string): string {
  return /^(?:oid|sub):/.test(sub) ? `sub:${sub}` : sub;
}

function addressOf({ email }: Claims): string | null {
  return typeof email === 'string' && isEmailAddress(email) ? email : null;
}

function nameOf({ name }: Claims): string | null {
  if (typeof name !== 'string') return null;
  const line = name.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ');
  return firstCodePoints(line.trim(), nameCodePointsMax) || null;
}

/**
 * Only `true` counts: some issuers send text, which proves nothing. Google always sends the claim. Entra does not
 * define it (learn.microsoft.com/entra/identity-platform/id-token-claims-reference), so it proves nothing there.
 */
function hasVerifiedEmail({ email_verified: isVerified }: Claims): boolean {
  return isVerified === true;
}

type Voucher = (claims: Claims, email: string, provider: IdentityProvider) => boolean;

const vouchers: Record<IdentityProvider['place'], Voucher> = {
  // Google vouches for mailboxes it hosts, and for the domain that the account's organisation has proven to Google. Any
  // other address was proven once, perhaps by a former owner. No other issuer can vouch for Google's mailboxes.
  oauth_a: (claims, email, { issuer }) => {
    if (!hasVerifiedEmail(claims)) return false;
    const domain = domainOf(email);
    if (domain === 'gmail.com') return issuer === googleIssuer;
    return typeof claims.hd === 'string' && claims.hd.toLowerCase() === domain;
  },
  // A tenant's administrator can write any address into its accounts (nOAuth). So we must trust the tenant, and the
  // tenant must have proven that it owns the domain: the claim `xms_edov` says so, as true, as 1, or as text of either.
  oauth_b: (claims, email, { issuer, allowedTenants }) => {
    const tenant = tenantOf(claims)?.toLowerCase();
    if (tenant === undefined || domainOf(email) === undefined) return false;
    const isTrusted = allowedTenants.includes(tenant) || namedTenantOf(issuer) === tenant;
    return isTrusted && /^(?:true|1)$/i.test(String(claims.xms_edov));
  },
};

/** @returns undefined for an address beyond ASCII: letters that look alike or fold to other letters prove nothing */
function domainOf(email: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(email) ? email.slice(email.indexOf('@') + 1).toLowerCase() : undefined;
}
