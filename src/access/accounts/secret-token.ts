import { createHash, randomBytes } from 'node:crypto';

const tokenBytes = 32;

/** A token of 256 random bits in base64url, and the hash to store instead of it. */
export function newSecretToken(): { token: string; tokenHash: Buffer } {
  const token = randomBytes(tokenBytes).toString('base64url');
  return { token, tokenHash: hashOfToken(token) };
}

/** SHA-256: a secret with 256 random bits needs no slow hash. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
