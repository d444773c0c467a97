import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

/** A key pair and its published JWK. */
export type KeyPair = { kid: string; privateKey: KeyObject; jwk: Jwk };
export type Jwk = Record<string, unknown>;

/** Members of a token. A value of undefined leaves the member out. */
export type Members = Record<string, unknown>;

/** The signer of a token: a key by RS256, its public half misused as the secret of HS256, or no signature. */
export type Signer = { with: 'rs256' | 'hs256-public-key'; pair: KeyPair } | { with: 'nothing' };

export function makeKeyPair(kid: string = randomUUID(), modulusLength = 2_048): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
  return { kid, privateKey, jwk };
}

/** A JWS in compact form (RFC 7515 §7.1), valid or forged. */
export function signToken(header: Members, claims: Members | string, signer: Signer): string {
  const payload = typeof claims === 'string' ? claims : JSON.stringify(claims);
  const signed = `${encode(JSON.stringify(header))}.${encode(payload)}`;
  return `${signed}.${signatureOf(signed, signer)}`;
}

function signatureOf(text: string, signer: Signer): string {
  if (signer.with === 'nothing') return '';
  const { privateKey } = signer.pair;
  if (signer.with === 'rs256') return sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url');
  const pem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' });
  return createHmac('sha256', pem).update(text).digest('base64url');
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
