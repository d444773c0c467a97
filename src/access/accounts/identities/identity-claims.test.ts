import { expect, test } from 'vitest';
import { isInTime } from './identity-claims.ts';

const now = 1_800_000_000;
const until = { exp: now + 3_600 };

test('a token is valid from its `nbf` and `iat` on, with a minute of leeway for clock skew', () => {
  for (const from of [now - 59, now, now + 60]) {
    expect(isInTime({ ...until, nbf: from }, now)).toBe(true);
    expect(isInTime({ ...until, iat: from }, now)).toBe(true);
  }
  expect(isInTime({ ...until, nbf: now + 61 }, now)).toBe(false);
  expect(isInTime({ ...until, iat: now + 61 }, now)).toBe(false);
});

test('a token is valid until it expires, with a minute of leeway', () => {
  expect(isInTime({ exp: now - 59 }, now)).toBe(true);
  expect(isInTime({ exp: now - 60 }, now)).toBe(false);
});
