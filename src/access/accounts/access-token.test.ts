import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { inventedId } from '../../../test/worlds/factories.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { UserId } from '../../ground/lib/ids.ts';
import { accessTokenSeconds, accessTokens } from './access-token.ts';

const secret = randomBytes(32);
const session = {
  userId: inventedId<UserId>('0190a000-0000-7000-8000-000000000001'),
  sessionId: '0190a000-0000-7000-8000-000000000002',
};
const begin = Date.parse('2026-01-01T12:00:00.700Z');
let nowMs = begin;
const tokens = accessTokens(secret, { now: () => new Date(nowMs) });
const keyOf = (token: string) => {
  const read = tokens.read(token);
  return read instanceof AppError ? read.key : 'good';
};

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const hs256 = { alg: 'HS256', typ: 'JWT' };
const claims = { iss: 'kontor', sub: session.userId, sid: session.sessionId, exp: 9_999_999_999 };
const signed = (header: unknown, payload: unknown, key = secret) => {
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
};

describe('access tokens', () => {
  test('name their account and session for an hour by our clock, however often they are sent', () => {
    nowMs = begin;
    const token = tokens.sign(session);
    const expiresAtMs = Math.floor(begin / 1000) * 1000 + accessTokenSeconds * 1000;
    expect([tokens.read(token), tokens.read(token)]).toEqual(
      Array.from({ length: 2 }, () => ({ ...session, expiresAtMs })),
    );
    nowMs = expiresAtMs - 1;
    expect(keyOf(token)).toBe('good');
    nowMs = expiresAtMs;
    expect([keyOf(token), keyOf(token)]).toEqual(['auth.token_expired', 'auth.token_expired']);
  });

  test('a token with our signature and all claims is valid', () => {
    nowMs = begin;
    expect(keyOf(signed(hs256, claims))).toBe('good');
  });

  test.each([
    ['nothing', ''],
    ['another secret', signed(hs256, claims, randomBytes(32))],
    ['no signature', `${part(hs256)}.${part(claims)}.`],
    ['no algorithm', signed({ alg: 'none' }, claims)],
    ['another algorithm', signed({ alg: 'HS512' }, claims)],
    ['an extension that must be known', signed({ ...hs256, crit: ['b64'], b64: false }, claims)],
    ['a header that is none', signed(null, claims)],
    ['claims that are none', signed(hs256, [claims])],
    ['no issuer', signed(hs256, { ...claims, iss: undefined })],
    ['another issuer', signed(hs256, { ...claims, iss: 'another' })],
    ['issuers', signed(hs256, { ...claims, iss: ['kontor'] })],
    ['no account', signed(hs256, { ...claims, sub: undefined })],
    ['an account that is none', signed(hs256, { ...claims, sub: 'me' })],
    ['no session', signed(hs256, { ...claims, sid: undefined })],
    ['a session that is none', signed(hs256, { ...claims, sid: 7 })],
    ['no end', signed(hs256, { ...claims, exp: undefined })],
    ['an end that is no time', signed(hs256, { ...claims, exp: '9999999999' })],
    ['a part too many', `${signed(hs256, claims)}.`],
    ['padding', `${signed(hs256, claims)}=`],
  ])('one with %s is refused, and again', (_what, token) => {
    nowMs = begin;
    expect([keyOf(token), keyOf(token)]).toEqual(['auth.token_invalid', 'auth.token_invalid']);
  });
});
