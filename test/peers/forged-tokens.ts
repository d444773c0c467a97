import { type KeyPair, type Members, type Signer, signToken } from '../../emulators/identity-token.ts';

type Forger = {
  /** A good token, except for the ordered changes. */
  mint(order?: { claims?: Members; header?: Members; signer?: Signer }): string;
  /** The provider's key. */
  pair(): KeyPair;
  /** A key of nobody that the provider knows. */
  foreign(): KeyPair;
  /** A published key that is too short. */
  short(): KeyPair;
};

const signedBy = (pair: KeyPair): Signer => ({ with: 'rs256', pair });
const partsOf = (token: string) => token.split('.') as [string, string, string]; // A token always has three parts.
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Tokens with good claims but a bad signature, header or form. */
export function forgedTokens({ mint, pair, foreign, short }: Forger): [what: string, token: () => string][] {
  return [
    // Signatures and keys
    ['alg none without a signature', () => mint({ header: { alg: 'none' }, signer: { with: 'nothing' } })],
    ['alg none with a signature', () => mint({ header: { alg: 'none' } })],
    ['alg nOnE', () => mint({ header: { alg: 'nOnE' }, signer: { with: 'nothing' } })],
    ['no alg', () => mint({ header: { alg: undefined } })],
    ['RS256 without a signature', () => mint({ signer: { with: 'nothing' } })],
    [
      'HS256 with the public key',
      () => mint({ header: { alg: 'HS256' }, signer: { with: 'hs256-public-key', pair: pair() } }),
    ],
    ['HS256 with the public key, called RS256', () => mint({ signer: { with: 'hs256-public-key', pair: pair() } })],
    ['RS512', () => mint({ header: { alg: 'RS512' } })],
    ['PS256', () => mint({ header: { alg: 'PS256' } })],
    ['ES256', () => mint({ header: { alg: 'ES256' } })],
    ['another key under its own name', () => mint({ header: { kid: foreign().kid }, signer: signedBy(foreign()) })],
    ['another key under a name of the provider’s', () => mint({ signer: signedBy(foreign()) })],
    [
      'the signature of another token',
      () => [...partsOf(mint()).slice(0, 2), partsOf(mint({ claims: { sub: 'another' } }))[2]].join('.'),
    ],
    ['half a signature', () => mint().slice(0, -100)],
    [
      'claims changed behind the signature',
      () => {
        const [header, claims, signature] = partsOf(mint());
        const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), sub: 'another' };
        return [header, encoded(changed), signature].join('.');
      },
    ],
    ['a key that is too short', () => mint({ header: { kid: short().kid }, signer: signedBy(short()) })],
    // The header
    ['no kid', () => mint({ header: { kid: undefined } })],
    ['a kid that is a path', () => mint({ header: { kid: '../../../../dev/null' }, signer: signedBy(foreign()) })],
    ['a kid that is SQL', () => mint({ header: { kid: "' union select 'x' --" } })],
    ['a kid of every object', () => mint({ header: { kid: '__proto__' } })],
    ['a kid that is a number', () => mint({ header: { kid: 1 } })],
    ['a kid with U+0000', () => mint({ header: { kid: `${pair().kid}\u0000` } })],
    ['an enormous kid', () => mint({ header: { kid: 'k'.repeat(5_000) } })],
    ['jku', () => mint({ header: { jku: 'https://evil.example/keys' }, signer: signedBy(foreign()) })],
    ['x5u', () => mint({ header: { x5u: 'https://evil.example/cert' }, signer: signedBy(foreign()) })],
    ['x5c', () => mint({ header: { x5c: ['MIIB'] }, signer: signedBy(foreign()) })],
    [
      'jwk, its own key brought along',
      () => mint({ header: { jwk: foreign().jwk, kid: foreign().kid }, signer: signedBy(foreign()) }),
    ],
    ['jwk beside a good signature', () => mint({ header: { jwk: foreign().jwk } })],
    ['crit', () => mint({ header: { crit: ['exp'] } })],
    ['crit with b64', () => mint({ header: { crit: ['b64'], b64: false } })],
    ['the type of an access token', () => mint({ header: { typ: 'at+jwt' } })],
    ['the type of a logout token', () => mint({ header: { typ: 'logout+jwt' } })],
    // The form
    ['no token at all', () => 'nonsense'],
    ['two dots', () => '..'],
    ['an encrypted token', () => `${encoded({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.a.b.c.d`],
    ['a nested token', () => signToken({ alg: 'RS256', kid: pair().kid, cty: 'JWT' }, mint(), signedBy(pair()))],
    [
      'a nested token that does not say so',
      () => signToken({ alg: 'RS256', kid: pair().kid }, JSON.stringify(mint()), signedBy(pair())),
    ],
    ['claims that are a list', () => signToken({ alg: 'RS256', kid: pair().kid }, '[]', signedBy(pair()))],
    ['claims that are no JSON', () => signToken({ alg: 'RS256', kid: pair().kid }, '{', signedBy(pair()))],
    ['a header that is no JSON', () => `e30x.${partsOf(mint())[1]}.${partsOf(mint())[2]}`],
    ['padding', () => `${mint()}==`],
  ];
}
