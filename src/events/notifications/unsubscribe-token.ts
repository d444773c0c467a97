import { createHmac, timingSafeEqual } from 'node:crypto';
import { readId, type UserId } from '../../ground/lib/ids.ts';

export const unsubscribePath = '/v1/notifications/unsubscribe';

/** The token of an unsubscribe link. It permits nothing else, and is valid until the account's key changes. */
export function unsubscribeToken(userId: UserId, key: Uint8Array): string {
  return `${userId}.${signatureOf(userId, key).toString('base64url')}`;
}

/** The user that a token names; undefined for malformed tokens. Verify the token with `isUnsubscribeToken`. */
export function userOfToken(token: string): UserId | undefined {
  return readId(token.slice(0, token.indexOf('.')));
}

export function isUnsubscribeToken(token: string, userId: UserId, key: Uint8Array): boolean {
  const given = Buffer.from(token.slice(token.indexOf('.') + 1), 'base64url');
  const expected = signatureOf(userId, key);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function signatureOf(userId: UserId, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`kontor end notification mails 1 ${userId}`).digest();
}
