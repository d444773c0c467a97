import { isEmailAddress } from '../../http/schema.ts';
import { isUuid } from '../../lib/ids.ts';
import { firstCodePoints } from '../../lib/text.ts';
import { googleIssuer, type IdentityProvider, tenantPlaceholder } from '../../settings/identity-settings.ts';
import { type Claims, namedTenantOf, tenantOf } from './identity-claims.ts';

/** Who signs in, as a provider's token says that was found good. */
export type Identity = {
  provider: IdentityProvider['place'];
  issuer: string;
  /** By what the issuer knows the person; each alone suffices. */
  subjects: string[];
  email: string | null;
  name: string | null;
  /** The provider answers for it that the address is this person's now: an account of that address is theirs. */
  isVouched: boolean;
  /** The address was this person's at some time. */
  isEmailVerified: boolean;
};

const nameCodePointsMax = 200;

/** Reads who it is from claims that were found good. Only `email` is an address: `upn` and the like are for show. */
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

/** Entra's `sub` is another one for each of our clients; the object id is one in the tenant, but told only with the scope `profile`. */
function subjectsOf({ sub, oid, tid }: Claims, { issuer }: IdentityProvider): string[] {
  const isOfTenant = tid !== undefined && (issuer.includes(tenantPlaceholder) || namedTenantOf(issuer) !== undefined);
  const objectIds = isOfTenant && typeof oid === 'string' && isUuid(oid) ? [`oid:${oid.toLowerCase()}`] : [];
  return [...objectIds, plainSubject(String(sub))];
}

/** Prefixes a `sub` that looks like one of our names, so that it never matches the object id of another person. */
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
 * Only `true` counts: some issuers send text, which proves nothing. Google always sends the claim. Entra does not have it
 * (learn.microsoft.com/entra/identity-platform/id-token-claims-reference), so there it proves nothing either.
 */
function hasVerifiedEmail({ email_verified: isVerified }: Claims): boolean {
  return isVerified === true;
}

type Voucher = (claims: Claims, email: string, provider: IdentityProvider) => boolean;

const vouchers: Record<IdentityProvider['place'], Voucher> = {
  // Google hosts the mailbox itself, or the domain is the one that the account's organisation has proven to Google. Any
  // other address was proven once, perhaps by a former owner. No other issuer answers for Google's mailboxes.
  oauth_a: (claims, email, { issuer }) => {
    if (!hasVerifiedEmail(claims)) return false;
    const domain = domainOf(email);
    if (domain === 'gmail.com') return issuer === googleIssuer;
    return typeof claims.hd === 'string' && claims.hd.toLowerCase() === domain;
  },
  // Whoever runs a tenant can write any address into its accounts (nOAuth): the tenant must be trusted, and have proven the
  // domain. The claim has been seen as true, 1 and both as text.
  oauth_b: (claims, email, { issuer, allowedTenants }) => {
    const tenant = tenantOf(claims)?.toLowerCase();
    if (tenant === undefined || domainOf(email) === undefined) return false;
    const isTrusted = allowedTenants.includes(tenant) || namedTenantOf(issuer) === tenant;
    return isTrusted && /^(?:true|1)$/i.test(String(claims.xms_edov));
  },
};

/** @returns undefined for an address beyond ASCII: letters that look alike, or fold to others, are nobody's proof */
function domainOf(email: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(email) ? email.slice(email.indexOf('@') + 1).toLowerCase() : undefined;
}
