import { expect, test } from 'vitest';
import { isEmailAddress } from './schema.ts';

test.each([
  'bob@customer.test',
  'bob+x=y@customer.test',
  '"john smith"@customer.test',
  'jörg@bücher.test',
  'x@[192.0.2.1]',
])('accepts the address %s', (text) => {
  expect(isEmailAddress(text)).toBe(true);
});

test.each([
  'bob',
  'bob@',
  'bob@a b.test',
  'bob@customer.test\r\nBcc: eve@evil.test',
  'bob\u202egpj@customer.test',
  'b\u200bob@customer.test',
  '"b\u2066ob"@customer.test',
  'bob@customer\u00ad.test',
  'bob@customer.test=?utf-8?B?DQpCY2M6?=',
  '"eve@evil.test"@customer.test',
  '"<eve@evil.test>, bob"@customer.test',
  '"=?utf-8?q?=0D=0ABcc?="@customer.test',
])('refuses the address %j', (text) => {
  expect(isEmailAddress(text)).toBe(false);
});
