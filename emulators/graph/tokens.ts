/** Entra's part: consent, tokens and their scopes. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Answer } from './http.ts';
import { GraphError } from './http.ts';
import { tenantId } from './push.ts';
import type { AccessToken, Grant, World } from './world.ts';

const refreshSeconds = 90 * 24 * 60 * 60;
const usualScopes = ['Mail.ReadWrite', 'Mail.Send', 'User.Read', 'offline_access'];

/** Entra's errors with its own numbers. */
const entraErrors = {
  invalid_grant: { status: 400, number: 50_173, text: 'The provided grant has expired due to it being revoked.' },
  interaction_required: { status: 400, number: 65_001, text: 'The user or administrator has not consented.' },
  invalid_client: { status: 401, number: 7_000_215, text: 'Invalid client secret provided.' },
  invalid_request: { status: 400, number: 900_144, text: 'The request body must contain other parameters.' },
  unsupported_grant_type: { status: 400, number: 70_003, text: 'The app requested an unsupported grant type.' },
  temporarily_unavailable: { status: 503, number: 90_033, text: 'A transient error has occurred. Please try again.' },
} as const;
type EntraCode = keyof typeof entraErrors;

export function entraError(code: string): Answer {
  const known = entraErrors[code as EntraCode] ?? entraErrors.invalid_grant;
  const { status, number, text } = known;
  return { status, body: { error: code, error_description: `AADSTS${number}: ${text}`, error_codes: [number] } };
}

/** A consent page that redirects at once, for the mailbox of `login_hint` or the first mailbox. */
export function authorize(world: World, query: URLSearchParams): Answer {
  const redirectUri = query.get('redirect_uri') ?? '';
  const back = (members: Record<string, string>) => sendBack(query, members);
  if (!isOfClient(world, query)) return unknownApplication;
  const hint = query.get('login_hint')?.toLowerCase();
  const mailbox = hint === undefined ? [...world.mailboxes.values()][0] : world.mailboxes.get(hint);
  if (mailbox === undefined)
    return back({ error: 'access_denied', error_description: 'AADSTS50034: no such account.' });
  if (query.get('response_type') !== 'code') return back({ error: 'unsupported_response_type' });
  const challenge = query.get('code_challenge');
  if (challenge !== null && query.get('code_challenge_method') !== 'S256') return back({ error: 'invalid_request' });
  const code = `0.A${randomBytes(24).toString('base64url')}`;
  const scopes = scopesOf(world, query.get('scope'));
  if (world.behaviour.needsApproval && !scopes.every((scope) => world.approvedScopes.has(scope)))
    // The answer to a user who leaves the page "Need admin approval".
    return back({
      error: 'access_denied',
      error_subcode: 'cancel',
      error_description:
        'AADSTS90094: An administrator of Shop has set a policy that prevents you ' +
        'from granting Kontor the permissions it is requesting.',
    });
  world.tokens.codes.set(code, { address: mailbox.address, scopes, challenge, redirectUri });
  return back({ code });
}

/** A page on which an administrator approves at once: `/{tenant}/v2.0/adminconsent`. */
export function approve(world: World, tenant: string, query: URLSearchParams): Answer {
  if (!isOfClient(world, query)) return unknownApplication;
  if (tenant === 'common' || tenant === 'consumers')
    return { status: 400, body: Buffer.from('AADSTS50059: no tenant-identifying information found.') };
  const asked = query.get('scope') ?? '';
  for (const scope of scopesOf(world, asked)) world.approvedScopes.add(scope);
  return sendBack(query, { admin_consent: 'True', tenant: tenantId, scope: asked });
}

function isOfClient(world: World, query: URLSearchParams): boolean {
  return query.get('client_id') === world.client.id && URL.canParse(query.get('redirect_uri') ?? '');
}

const unknownApplication: Answer = {
  status: 400,
  body: Buffer.from('AADSTS700016: the application or its address is not known.'),
};

/** Redirects the browser back, with the state. */
function sendBack(query: URLSearchParams, members: Record<string, string>): Answer {
  const target = new URL(query.get('redirect_uri') ?? '');
  for (const [name, value] of Object.entries(members)) target.searchParams.set(name, value);
  const state = query.get('state');
  if (state !== null) target.searchParams.set('state', state);
  return { status: 302, headers: { location: target.href } };
}

export function giveTokens(world: World, form: URLSearchParams): Answer {
  const { codes, refresh } = world.tokens;
  if (form.get('client_id') !== world.client.id || !isSame(form.get('client_secret') ?? '', world.client.secret))
    return entraError('invalid_client');
  const kind = form.get('grant_type');
  if (kind === 'client_credentials') {
    const accessToken = giveAccess(world, { address: undefined, scopes: usualScopes });
    return tokenAnswer(world, { access_token: accessToken });
  }
  if (kind === 'authorization_code') {
    const code = form.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    const verifier = form.get('code_verifier') ?? '';
    const isProven = grant?.challenge == null || hashOf(verifier) === grant.challenge;
    if (grant === undefined || !isProven || grant.redirectUri !== form.get('redirect_uri'))
      return entraError('invalid_grant');
    return pairAnswer(world, grant);
  }
  if (kind !== 'refresh_token') return entraError(kind === null ? 'invalid_request' : 'unsupported_grant_type');
  const token = form.get('refresh_token') ?? '';
  const grant = refresh.get(token);
  const now = world.clock.now().getTime();
  if (grant === undefined || now >= grant.deadFrom) return entraError('invalid_grant');
  // The old token works for a grace period.
  grant.deadFrom = Math.min(grant.deadFrom, now + world.behaviour.refreshGraceSeconds * 1000);
  return pairAnswer(world, grant);
}

function pairAnswer(world: World, { address, scopes }: Grant): Answer {
  const accessToken = giveAccess(world, { address, scopes });
  const isRefreshable = scopes.includes('offline_access');
  return tokenAnswer(world, {
    scope: scopes.filter((scope) => scope !== 'offline_access').join(' '),
    access_token: accessToken,
    ...(isRefreshable && { refresh_token: giveRefresh(world, { address, scopes }) }),
  });
}

function tokenAnswer({ behaviour }: World, tokens: Record<string, string>): Answer {
  const lasts = behaviour.accessTokenSeconds;
  const headers = { 'cache-control': 'no-store' };
  return { status: 200, headers, body: { token_type: 'Bearer', expires_in: lasts, ext_expires_in: lasts, ...tokens } };
}

function giveAccess(world: World, grant: Grant): string {
  const token = `eyJ0.${randomBytes(24).toString('base64url')}`;
  const expiresAt = world.clock.now().getTime() + world.behaviour.accessTokenSeconds * 1000;
  world.tokens.access.set(token, { ...grant, expiresAt });
  return token;
}

export function giveRefresh(
  world: World,
  { address, scopes = usualScopes }: { address: string | undefined; scopes?: string[] },
): string {
  const token = `1.A${randomBytes(32).toString('base64url')}`;
  const deadFrom = world.clock.now().getTime() + refreshSeconds * 1000;
  world.tokens.refresh.set(token, { address, scopes, deadFrom });
  return token;
}

/** Revokes all tokens of the mailbox, as "revoke sign-ins" does. */
export function revoke(world: World, address: string): void {
  expireAccess(world, address);
  for (const [token, grant] of world.tokens.refresh) if (isFor(grant, address)) world.tokens.refresh.delete(token);
}

/** Ends access tokens at once and keeps refresh tokens. */
export function expireAccess(world: World, address: string): void {
  for (const [token, grant] of world.tokens.access) if (isFor(grant, address)) world.tokens.access.delete(token);
}

const isFor = (grant: Grant, address: string) => grant.address?.toLowerCase() === address.toLowerCase();

/** @throws GraphError for an unknown or expired token */
export function admit(world: World, authorization: string | undefined): AccessToken {
  const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
  const grant = token === undefined ? undefined : world.tokens.access.get(token);
  if (grant === undefined || grant.expiresAt <= world.clock.now().getTime())
    throw new GraphError(401, 'InvalidAuthenticationToken', 'Lifetime validation failed, the token is expired.', {
      'www-authenticate': 'Bearer realm=""',
    });
  return grant;
}

/** Scopes without their resource prefix: Graph's usual name, or the emulator's address. */
function scopesOf({ url }: World, text: string | null): string[] {
  const scopes = (text ?? '').split(' ').filter((scope) => scope !== '');
  const resources = ['https://graph.microsoft.com/', `${url}/`];
  return scopes.map((scope) => {
    const resource = resources.find((one) => scope.startsWith(one));
    return resource === undefined ? scope : scope.slice(resource.length);
  });
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(one)), Buffer.from(hashOf(other)));
}
