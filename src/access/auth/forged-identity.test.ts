import { beforeAll, describe, expect, test } from 'vitest';
import { someTenant } from '../../../emulators/identity.ts';
import { type KeyPair, makeKeyPair, signToken } from '../../../emulators/identity-token.ts';
import { forgedTokens } from '../../../test/peers/forged-tokens.ts';
import { useIdentityHouse } from '../../../test/worlds/identity-house.ts';
import { sql } from '../../ground/database/sql.ts';
import { issueAt } from '../../ground/lib/issues.ts';

const house = useIdentityHouse();
const otherTenant = '22222222-2222-4222-8222-222222222222';
const consumerTenant = '9188040d-6c67-4c5b-b112-36a304b66dad';
let foreign: KeyPair;
let short: KeyPair;

beforeAll(() => {
  foreign = makeKeyPair();
  short = makeKeyPair('short', 1_024);
});

type Order = Omit<Parameters<typeof house.providers.mint>[0], 'family'>;
const google = (order: Order = {}) => house.providers.mint({ family: 'google', ...order });
const entra = (order: Order = {}) => house.providers.mint({ family: 'entra', ...order });
const now = () => Math.floor(house.clock.now().getTime() / 1000);
const googlePair = () => house.providers.keysOf('google')[0] as KeyPair;
const signedBy = (pair: KeyPair) => ({ with: 'rs256', pair }) as const;

describe('a good token signs in', () => {
  test.each<[string, string, () => string, object?]>([
    ['Google’s', 'oauth_a', () => google()],
    ['Google’s by its name', 'google', () => google()],
    ['Google’s for another client of ours', 'google', () => google({ claims: { aud: 'client-of-the-app' } })],
    ['Google’s with its audience as a list', 'google', () => google({ claims: { aud: ['client-of-kontor'] } })],
    ['Google’s a minute past its end', 'google', () => google({ claims: { exp: now() - 55 } })],
    ['Google’s of a clock that is ahead', 'google', () => google({ claims: { iat: now() + 55, nbf: now() + 55 } })],
    [
      'Google’s with nothing that may be missing',
      'google',
      () => google({ header: { typ: undefined }, claims: { azp: undefined, iat: undefined, name: undefined } }),
    ],
    [
      'Google’s with the nonce that was asked for',
      'google',
      () => google({ claims: { nonce: 'n-1' } }),
      { nonce: 'n-1' },
    ],
    ['Google’s with a nonce that nobody asks for', 'google', () => google({ claims: { nonce: 'n-1' } })],
    ['Entra’s', 'oauth_b', () => entra({ claims: { email: 'bo@example.org' } })],
    ['Entra’s by its name', 'microsoft', () => entra({ claims: { email: 'bo@example.org' } })],
  ])('%s', async (_what, provider, token, more = {}) => {
    expect(await house.signIn(provider, token(), more)).toMatchObject({
      status: 200,
      body: { workspace: { role: 'owner' } },
    });
  });
});

const forged: [string, 'google' | 'microsoft', () => unknown, object?][] = [
  ...forgedTokens({ mint: google, pair: googlePair, foreign: () => foreign, short: () => short }).map(
    ([what, token]): [string, 'google', () => string] => [what, 'google', token],
  ),
  [
    'the other provider’s key',
    'google',
    () =>
      google({
        header: { kid: house.providers.keysOf('entra')[0]?.kid },
        signer: signedBy(house.providers.keysOf('entra')[0] as KeyPair),
      }),
  ],
  ['white space within', 'google', () => google().replace('.', '.\n')],
  // Issuer and audience
  ['another issuer', 'google', () => google({ claims: { iss: 'https://evil.example' } })],
  ['an issuer that begins alike', 'google', () => google({ claims: { iss: `${house.providers.url}.evil.example` } })],
  ['an issuer with a slash behind it', 'google', () => google({ claims: { iss: `${house.providers.url}/` } })],
  ['no issuer', 'google', () => google({ claims: { iss: undefined } })],
  ['issuers', 'google', () => google({ claims: { iss: [house.providers.url] } })],
  ['the other provider’s token', 'google', () => entra()],
  ['another audience', 'google', () => google({ claims: { aud: 'someone-else' } })],
  ['several audiences', 'google', () => google({ claims: { aud: ['client-of-kontor', 'someone-else'] } })],
  ['no audience', 'google', () => google({ claims: { aud: undefined } })],
  ['an empty list of audiences', 'google', () => google({ claims: { aud: [] } })],
  ['an audience in another case', 'google', () => google({ claims: { aud: 'Client-of-Kontor' } })],
  ['made for another party', 'google', () => google({ claims: { azp: 'someone-else' } })],
  ['made for a party of no name', 'google', () => google({ claims: { azp: null } })],
  ['an access token', 'google', () => google({ claims: { scp: 'openid' } })],
  // Times
  ['expired', 'google', () => google({ claims: { exp: now() - 65 } })],
  ['no end', 'google', () => google({ claims: { exp: undefined } })],
  ['an end as text', 'google', () => google({ claims: { exp: String(now() + 3_600) } })],
  ['an end ten years ahead', 'google', () => google({ claims: { exp: now() + 315_360_000 } })],
  [
    'an end at infinity',
    'google',
    () =>
      signToken(
        { alg: 'RS256', kid: googlePair().kid },
        JSON.stringify({ iss: house.providers.url, aud: 'client-of-kontor', sub: 's' }).replace('}', ',"exp":1e999}'),
        signedBy(googlePair()),
      ),
  ],
  ['not yet good', 'google', () => google({ claims: { nbf: now() + 65 } })],
  ['made in the future', 'google', () => google({ claims: { iat: now() + 65 } })],
  ['made at a time that is text', 'google', () => google({ claims: { iat: 'today' } })],
  ['good from a time that is nothing', 'google', () => google({ claims: { nbf: null } })],
  // Subject, address and nonce
  ['no subject', 'google', () => google({ claims: { sub: undefined } })],
  ['an empty subject', 'google', () => google({ claims: { sub: '' } })],
  ['a subject of spaces', 'google', () => google({ claims: { sub: '   ' } })],
  ['a subject that is a number', 'google', () => google({ claims: { sub: 1 } })],
  ['a subject of 256 characters', 'google', () => google({ claims: { sub: 's'.repeat(256) } })],
  ['a subject with U+0000', 'google', () => google({ claims: { sub: 'a\u0000b' } })],
  ['no address of someone unknown', 'google', () => google({ claims: { sub: 'new', email: undefined } })],
  ['an address that is none', 'google', () => google({ claims: { sub: 'new', email: 'ada' } })],
  ['an address with U+0000', 'google', () => google({ claims: { sub: 'new', email: 'a\u0000@example.org' } })],
  ['addresses', 'google', () => google({ claims: { sub: 'new', email: ['a@example.org'] } })],
  ['another nonce', 'google', () => google({ claims: { nonce: 'n-1' } }), { nonce: 'n-2' }],
  ['no nonce where one is asked for', 'google', () => google(), { nonce: 'n-1' }],
  ['a nonce that is a list', 'google', () => google({ claims: { nonce: ['n-1'] } }), { nonce: 'n-1' }],
  // Entra's tenants
  [
    'the issuer of one tenant, an account of another',
    'microsoft',
    () => entra({ claims: { iss: house.providers.entraIssuer(otherTenant) } }),
  ],
  [
    'an account of another tenant under the issuer of an allowed one',
    'microsoft',
    () => entra({ claims: { tid: otherTenant } }),
  ],
  ['a tenant that is not allowed', 'microsoft', () => entra({ tenant: otherTenant })],
  ['no tenant', 'microsoft', () => entra({ claims: { tid: undefined } })],
  ['a tenant that is none', 'microsoft', () => entra({ tenant: 'common' })],
  ['a tenant that is a path', 'microsoft', () => entra({ tenant: `${someTenant}/../x` })],
  ['the template itself as issuer', 'microsoft', () => entra({ claims: { iss: house.providers.entraIssuer() } })],
  [
    'an issuer of the first version',
    'microsoft',
    () => entra({ claims: { iss: `https://sts.windows.net/${someTenant}/` } }),
  ],
  ['Google’s token at Entra', 'microsoft', () => google()],
  [
    'no address, but a name that looks like one',
    'microsoft',
    () => entra({ claims: { sub: 'new', email: undefined, upn: 'a@example.org' } }),
  ],
];

describe('a forged token is refused', () => {
  beforeAll(() => {
    house.providers.publish(
      'google',
      [...house.providers.keysOf('google'), short].map(({ jwk }) => jwk),
    );
  });

  test('there are more than forty kinds', () => expect(forged.length).toBeGreaterThan(40));

  test.each(forged)('%s', async (_what, provider, token, more = {}) => {
    const answer = await house.signIn(provider, token(), more);
    expect([answer.status, answer.body]).toEqual([
      401,
      { key: 'auth.identity_token_invalid', params: {}, fallbackMessage: expect.any(String) },
    ]);
  });

  test.each([
    ['for the tenants of consumers alone', () => house.providers.entraIssuer(consumerTenant)],
    ['for another provider', () => 'https://other.example'],
  ])('a key that is published %s', async (_what, issuer) => {
    const pair = house.providers.rotate('entra');
    house.providers.publish('entra', [{ ...pair.jwk, issuer: issuer() }]);
    house.clock.advance(61_000);
    expect((await house.signIn('microsoft', entra())).body.key).toBe('auth.identity_token_invalid');
    house.providers.publish('entra', undefined);
    house.clock.advance(61_000 * 60);
  });

  test.each([
    ['for encrypting', { use: 'enc' }],
    ['for another algorithm', { alg: 'RS512' }],
    ['of another kind', { kty: 'oct', k: 'c2VjcmV0' }],
  ])('a key that is published %s', async (_what, members) => {
    const pair = house.providers.rotate('google');
    house.providers.publish('google', [{ ...pair.jwk, ...members }, foreign.jwk]);
    house.clock.advance(61_000);
    expect((await house.signIn('google', google())).body.key).toBe('auth.identity_token_invalid');
    house.providers.publish('google', undefined);
    house.clock.advance(61_000);
  });

  test('an enormous token or a value that is not text, before any other check', async () => {
    for (const idToken of ['x'.repeat(15_001), 7, ['a'], { a: 1 }]) {
      const answer = await house.signIn('google', idToken);
      expect([answer.status, answer.body.key]).toEqual([400, 'request.invalid']);
    }
  });

  test.each([undefined, '', null])('%j counts as a missing token', async (idToken) => {
    const { status, body } = await house.signIn('google', idToken);
    expect([status, body.params.issues]).toEqual([400, [issueAt('body.idToken', 'required')]]);
  });

  test('and leaves nothing behind: only valid tokens created accounts', async () => {
    const users = await house.app.db.rows<{ email: string }>(sql`
      select email from users order by email`);
    expect(users.map(({ email }) => email)).toEqual(['ada@example.org', 'bo@example.org']);
    expect(await house.app.db.rows(sql`select 1 from identities`)).toHaveLength(2);
  });
});
