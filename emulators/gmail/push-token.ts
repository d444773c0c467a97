/** The tokens that Pub/Sub sends with a push, their signing keys, and forgeries. */
import type { VirtualClock } from '../clock.ts';
import { type Jwk, type KeyPair, type Members, makeKeyPair, type Signer, signToken } from '../identity-token.ts';

/** The defects of a token. The first three variants are valid tokens. */
export type PushTokenVariant =
  | 'good'
  | 'hour-old'
  | 'email-verified-as-text'
  | 'expired'
  | 'not-yet-valid'
  | 'wrong-audience'
  | 'wrong-email'
  | 'no-email'
  | 'email-unverified'
  | 'other-issuer'
  | 'unknown-key'
  | 'wrong-key'
  | 'withdrawn-key'
  | 'alg-none'
  | 'alg-hs256'
  | 'missing';

export type PushTokenOrder = { variant?: PushTokenVariant; claims?: Members; header?: Members };

export type PushTokens = {
  /** Signs a new token. @returns undefined for the variant `missing` */
  mint(order?: PushTokenOrder): string | undefined;
  /** The token of the next push. Pub/Sub uses a token for up to an hour. */
  current(): string | undefined;
  /** Sets the variant that pushes carry from now on. */
  use(variant: PushTokenVariant): void;
  /** Signs with a new key from now on. The old key stays published unless `keepsOld` is false. */
  rotate(options?: { keepsOld?: boolean }): { kid: string };
  /** The published JSON Web Keys. */
  published(): Jwk[];
};

type PushTokensOptions = { clock: VirtualClock; issuer: string; serviceAccount: string; audience: () => string };

const lifeSeconds = 3_600;
/** A minute before expiry, so that no token expires on its way. */
const renewedAfterSeconds = lifeSeconds - 60;

export function openPushTokens({ clock, issuer, serviceAccount, audience }: PushTokensOptions): PushTokens {
  const keys = openKeys();
  let variant: PushTokenVariant = 'good';
  let reused: { token: string | undefined; mintedAt: number; audience: string } | undefined;

  const usualClaims = (): Members => {
    const iat = Math.floor(clock.now().getTime() / 1000);
    return {
      iss: issuer,
      aud: audience(),
      azp: '113774264463038321964',
      sub: '113774264463038321964',
      email: serviceAccount,
      email_verified: true,
      iat,
      exp: iat + lifeSeconds,
    };
  };
  const mint = ({ variant = 'good', claims = {}, header = {} }: PushTokenOrder = {}): string | undefined => {
    if (variant === 'missing') return undefined;
    const usual = usualClaims();
    const bent = bentClaims(variant, usual);
    const { pair, signer, members } = keys.signing(variant);
    return signToken(
      { alg: 'RS256', kid: pair.kid, typ: 'JWT', ...members, ...header },
      { ...usual, ...bent, ...claims },
      signer,
    );
  };

  return {
    mint,
    current: () => {
      const isFresh =
        reused !== undefined &&
        clock.now().getTime() - reused.mintedAt < renewedAfterSeconds * 1000 &&
        reused.audience === audience();
      if (!isFresh) reused = { token: mint({ variant }), mintedAt: clock.now().getTime(), audience: audience() };
      return reused?.token;
    },
    use: (other) => {
      variant = other;
      reused = undefined;
    },
    rotate: ({ keepsOld = true } = {}) => {
      reused = undefined;
      return keys.rotate(keepsOld);
    },
    published: keys.published,
  };
}

/** The published keys, and keys that only forgeries use. */
function openKeys() {
  /** Made on first use, since making keys takes a tenth of a second. */
  let ring: [KeyPair, KeyPair] | undefined;
  let withdrawn: KeyPair | undefined;
  let foreign: KeyPair | undefined;
  const published = (): [KeyPair, KeyPair] => {
    ring ??= [makeKeyPair(), makeKeyPair()];
    return ring;
  };
  return {
    published: (): Jwk[] => published().map(({ jwk }) => jwk),
    rotate: (keepsOld: boolean): { kid: string } => {
      const [former] = published();
      if (!keepsOld) withdrawn = former;
      ring = [makeKeyPair(), keepsOld ? former : makeKeyPair()];
      return { kid: ring[0].kid };
    },
    signing: (variant: PushTokenVariant): { pair: KeyPair; signer: Signer; members: Members } => {
      const [pair] = published();
      const by = (signing: KeyPair): Signer => ({ with: 'rs256', pair: signing });
      if (variant === 'alg-none') return { pair, signer: { with: 'nothing' }, members: { alg: 'none' } };
      if (variant === 'alg-hs256')
        return { pair, signer: { with: 'hs256-public-key', pair }, members: { alg: 'HS256' } };
      if (variant === 'withdrawn-key') {
        withdrawn ??= makeKeyPair();
        return { pair: withdrawn, signer: by(withdrawn), members: {} };
      }
      if (variant !== 'unknown-key' && variant !== 'wrong-key') return { pair, signer: by(pair), members: {} };
      foreign ??= makeKeyPair();
      return { pair: variant === 'wrong-key' ? pair : foreign, signer: by(foreign), members: {} };
    },
  };
}

/** A claim of undefined is left out. */
function bentClaims(variant: PushTokenVariant, usual: Members): Members {
  const iat = Number(usual.iat);
  const bent: Partial<Record<PushTokenVariant, Members>> = {
    'hour-old': { iat: iat - lifeSeconds + 60, exp: iat + 60 },
    'email-verified-as-text': { email_verified: 'true' },
    expired: { iat: iat - 2 * lifeSeconds, exp: iat - lifeSeconds },
    'not-yet-valid': { nbf: iat + lifeSeconds, exp: iat + 2 * lifeSeconds },
    'wrong-audience': { aud: 'https://elsewhere.example.com/push' },
    'wrong-email': { email: 'mallory@other-project.iam.gserviceaccount.com' },
    'no-email': { email: undefined, email_verified: undefined },
    'email-unverified': { email_verified: false },
    'other-issuer': { iss: 'https://accounts.example.com' },
  };
  return bent[variant] ?? {};
}
