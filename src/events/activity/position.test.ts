import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePosition, encodePosition, isBefore, type ReaderPosition } from './position.ts';

const position = fc.record({
  epoch: fc.string(),
  transactionId: fc.bigInt(0n, 10n ** 18n - 1n),
  factId: fc.uuid(),
  part: fc.constantFrom('event' as const, 'notification' as const),
});

test('a position survives encoding and decoding', () => {
  fc.assert(
    fc.property(position, (one) => {
      expect(decodePosition(encodePosition(one))).toEqual(one);
    }),
  );
});

test('any text decodes to a position or to undefined', () => {
  const json = fc.json().map((text) => Buffer.from(text).toString('base64url'));
  fc.assert(
    fc.property(fc.oneof(fc.string(), json), (text) => {
      const decoded = decodePosition(text);
      expect(decoded === undefined || typeof decoded.transactionId === 'bigint').toBe(true);
    }),
  );
});

test('positions are ordered by transaction, then by fact, then by part', () => {
  const of = (transactionId: bigint, factId: string, part: ReaderPosition['part']) => ({
    epoch: 'e',
    transactionId,
    factId,
    part,
  });
  const ordered = [
    of(9n, 'b', 'notification'),
    of(10n, 'a', 'event'),
    of(10n, 'a', 'notification'),
    of(10n, 'b', 'event'),
  ];
  for (const [at, one] of ordered.entries())
    for (const [otherAt, other] of ordered.entries()) expect(isBefore(one, other)).toBe(at < otherAt);
});
