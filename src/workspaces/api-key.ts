import { hashOfToken, newSecretToken } from '../accounts/secret-token.ts';

/** Tells a key from an access token, and lets scanners find one that was published. */
const prefix = 'kontor_';
const endingLength = 4;

/** A key's secret, of 256 random bits, and what is kept of it. */
export function newApiKeySecret(): { secret: string; secretHash: Buffer; ending: string } {
  const secret = `${prefix}${newSecretToken().token}`;
  return { secret, secretHash: hashOfToken(secret), ending: secret.slice(-endingLength) };
}

export function isApiKey(bearer: string): boolean {
  return bearer.startsWith(prefix);
}

/** By what people tell a key from others. */
export function hintOf(ending: string): string {
  return `${prefix}…${ending}`;
}
