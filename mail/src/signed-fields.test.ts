import { expect, test } from 'vitest';
import { coveredFields, namedFields, readsAsSigned } from './signed-fields.ts';

const headersOf = (...names: string[]) => names.map((name) => ({ name, value: 'x' }));

test.each([
  ['every field that it names', ['to', 'from', 'subject'], ['from', 'to', 'subject'], ['from', 'to', 'subject']],
  ['no field that it does not name', ['cc', 'from'], ['from', 'to'], ['from']],
  ['two of a field that it names twice', ['to', 'to', 'from'], ['from', 'to', 'to'], ['from', 'to']],
  ['a field that it names more often than the mail has it', ['to', 'from'], ['from', 'to', 'to', 'cc'], ['from', 'to']],
  ['nothing of a mail with one on top', ['to', 'to', 'from'], ['from', 'to'], undefined],
  ['nothing of a mail with two that it does not name', ['cc', 'from', 'cc'], ['from'], undefined],
  ['a mail with many other fields', ['received', 'received', 'x-a', 'x-a', 'from'], ['from'], ['from']],
])('a signature covers %s', (_what, headers, named, covered) => {
  expect(coveredFields(headersOf(...headers), named)).toEqual(covered);
});

test('names stand in h=, whatever the blanks and the case', () => {
  expect(namedFields('v=1; a=rsa-sha256; bh=abc; H = From : to:\t Cc; b=h=x')).toEqual(['from', 'to', 'cc']);
  expect(namedFields('v=1; bh=from:to; xh=from')).toEqual([]);
  expect(namedFields(`h=${'from:'.repeat(100_000)}`).length).toBeLessThan(2_000);
});

test('a header reads as signed unless it must be repaired', () => {
  const reads = (text: string, ...names: string[]) => readsAsSigned(headersOf(...names), Buffer.from(text, 'latin1'));
  expect(reads('From: a\r\nTo : b,\r\n c\r\n\r\nBody: x', 'from', 'to')).toBe(true);
  expect(reads('From: a\nTo: b\n\nBody', 'from', 'to')).toBe(true);
  expect(reads('From: a\r\nTo: b,\r\nc@d\r\n\r\n', 'from', 'to')).toBe(false);
  expect(reads('From: a\r\n\r\r\nTo: b\r\n\r\n', 'from')).toBe(false);
});
