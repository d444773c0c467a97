import type { SettingsReader } from './settings-reader.ts';

/** The rules for sign-ins with one identity provider. */
export type IdentityProvider = {
  place: 'oauth_a' | 'oauth_b';
  /** The name that sign-ins may use instead of `place`. */
  name: string;
  /** The `iss` that tokens must have. `{tenantid}` stands for the token's own `tid`. */
  issuer: string;
  /** The audiences that tokens may have. Empty: the provider is not set up. */
  clientIds: string[];
  /** The address of the signing keys. Undefined: the discovery document names it. */
  jwksUri: string | undefined;
  discoveryUrl: string;
  /** The page to which browsers go to sign in. Undefined: our pages do not offer this provider. */
  authorizeUrl: string | undefined;
  /** Tenants that may sign in, lower case. Empty: any tenant may, but its word about mail addresses is not trusted. */
  allowedTenants: string[];
};

export const tenantPlaceholder = '{tenantid}';
export const googleIssuer = 'https://accounts.google.com';
const consumerTenant = '9188040d-6c67-4c5b-b112-36a304b66dad';
const tenantPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function readIdentityProviders(read: SettingsReader): IdentityProvider[] {
  const googlePlace = issuerOf(read.text('OAUTH_A_ISSUER') ?? googleIssuer);
  const entraPlace = issuerOf(
    read.text('OAUTH_B_ISSUER') ?? `https://login.microsoftonline.com/${tenantPlaceholder}/v2.0`,
  );
  const google: IdentityProvider = {
    place: 'oauth_a',
    name: read.text('OAUTH_A_NAME') ?? 'google',
    ...googlePlace,
    authorizeUrl:
      read.text('OAUTH_A_AUTHORIZE_URL') ??
      (googlePlace.issuer === googleIssuer ? `${googleIssuer}/o/oauth2/v2/auth` : undefined),
    clientIds: read.list('OAUTH_A_CLIENT_ID', []),
    jwksUri: read.text('OAUTH_A_JWKS_URI'),
    allowedTenants: [],
  };
  const entra: IdentityProvider = {
    place: 'oauth_b',
    name: read.text('OAUTH_B_NAME') ?? 'microsoft',
    ...entraPlace,
    authorizeUrl: read.text('OAUTH_B_AUTHORIZE_URL') ?? entraAuthorizeUrl(entraPlace.discoveryUrl),
    clientIds: read.list('OAUTH_B_CLIENT_ID', []),
    jwksUri: read.text('OAUTH_B_JWKS_URI'),
    allowedTenants: read.list('OAUTH_B_ALLOWED_TENANTS', []).map((tenant) => tenant.toLowerCase()),
  };
  read.faults.push(...faultsOf('OAUTH_A', google), ...faultsOf('OAUTH_B', entra), ...nameFaults(google, entra));
  if (entra.clientIds.length > 0 && entra.issuer.includes(tenantPlaceholder) && entra.allowedTenants.length === 0) {
    read.warnings.push(
      'OAUTH_B_ALLOWED_TENANTS is not set: accounts of any tenant may sign in, and none is linked by its mail address',
    );
  }
  return [google, entra];
}

/**
 * The canonical issuer and its discovery document. Google spells its issuer in two ways. Entra has addresses that stand
 * for many tenants: `common`, `organizations` and `consumers`.
 */
function issuerOf(text: string): Pick<IdentityProvider, 'issuer' | 'discoveryUrl'> {
  const address = text === 'accounts.google.com' ? googleIssuer : text;
  const base = address.replaceAll(tenantPlaceholder, 'common').replace(/\/+$/, '');
  const discoveryUrl = `${base}/.well-known/openid-configuration`;
  const issuer = address
    .replace(/\/(?:common|organizations)(?=\/v2\.0$)/, `/${tenantPlaceholder}`)
    .replace(/\/consumers(?=\/v2\.0$)/, `/${consumerTenant}`);
  return { issuer, discoveryUrl };
}

/** Entra's sign-in page is beside its issuer. */
function entraAuthorizeUrl(discoveryUrl: string): string | undefined {
  const [tenantAddress, rest] = discoveryUrl.split('/v2.0/.well-known/');
  return rest === undefined ? undefined : `${tenantAddress}/oauth2/v2.0/authorize`;
}

function faultsOf(prefix: string, provider: IdentityProvider): string[] {
  const { name, issuer, jwksUri, authorizeUrl, allowedTenants } = provider;
  const faults: string[] = [];
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/.test(name))
    faults.push(`${prefix}_NAME: "${name}" must be up to 32 letters, digits, - and _, and not begin with - or _`);
  for (const [what, url] of Object.entries({ ISSUER: issuer, JWKS_URI: jwksUri, AUTHORIZE_URL: authorizeUrl })) {
    if (url !== undefined && !isSafeAddress(url))
      faults.push(`${prefix}_${what}: not an address that begins with https:// (http:// is for this machine only)`);
  }
  for (const tenant of allowedTenants)
    if (!tenantPattern.test(tenant)) faults.push(`${prefix}_ALLOWED_TENANTS: "${tenant}" is not a tenant id (a GUID)`);
  return faults;
}

function nameFaults(a: IdentityProvider, b: IdentityProvider): string[] {
  const taken = (provider: IdentityProvider, other: IdentityProvider) =>
    ['local', other.place, other.name].includes(provider.name);
  return [
    ...(taken(a, b) ? [`OAUTH_A_NAME: "${a.name}" is the name of another way to sign in`] : []),
    ...(taken(b, a) ? [`OAUTH_B_NAME: "${b.name}" is the name of another way to sign in`] : []),
  ];
}

/**
 * Whether the address is encrypted or on this machine. An attacker who can change a provider's answers can sign in as
 * anybody.
 */
export function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  const isLoopback = /^(?:localhost|[^.]+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  return username === '' && (protocol === 'https:' || (protocol === 'http:' && isLoopback));
}
