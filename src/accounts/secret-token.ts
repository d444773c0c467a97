import { createHash, randomBytes } from 'node:crypto';

const tokenBytes = 32;

/** A token of 256 random bits, base64url, with the hash that is stored in its place. */
export function newSecretToken(): { token: string; tokenHash: Buffer } {
  const token = randomBytes(tokenBytes).toString('base64url');
  return { token, tokenHash: hashOfToken(token) };
}

/** SHA-256: what has 256 bits of its own needs no slow hash. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
