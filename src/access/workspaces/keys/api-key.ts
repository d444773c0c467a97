import { hashOfToken, newSecretToken } from '../../accounts/secret-token.ts';

/** Distinguishes a key from an access token, and lets secret scanners find published keys. */
const prefix = 'kontor_';
const endingLength = 4;

/** A new secret of 256 random bits, with the hash and the ending to store. */
export function newApiKeySecret(): { secret: string; secretHash: Buffer; ending: string } {
  const secret = `${prefix}${newSecretToken().token}`;
  return { secret, secretHash: hashOfToken(secret), ending: secret.slice(-endingLength) };
}

export function isApiKey(bearer: string): boolean {
  return bearer.startsWith(prefix);
}

/** A hint by which people recognise a key. */
export function hintOf(ending: string): string {
  return `${prefix}…${ending}`;
}
