import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readAddresses } from './addresses.ts';

const emailsOf = (header: string) => readAddresses(header).map(({ name, email }) => [name, email]);

it.each([
  ['"john smith"@example.com', [[null, '"john smith"@example.com']]],
  ['John <"john smith"@example.com>', [['John', '"john smith"@example.com']]],
  [
    '"J. Smith" <"john smith"@example.com>, eva@home.example',
    [
      ['J. Smith', '"john smith"@example.com'],
      [null, 'eva@home.example'],
    ],
  ],
  [
    '"a@b"@example.com; "c d"@example.com',
    [
      [null, '"a@b"@example.com'],
      [null, '"c d"@example.com'],
    ],
  ],
  [
    'Team: "c d"@example.com, Eva <eva@home.example>;',
    [
      [null, '"c d"@example.com'],
      ['Eva', 'eva@home.example'],
    ],
  ],
  ['"say \\"hi\\" . now"@example.com', [[null, '"say \\"hi\\" . now"@example.com']]],
  ['"john"@example.com', [[null, 'john@example.com']]],
  ['"john.smith"@example.com (at "work"@home)', [['at "work"@home', 'john.smith@example.com']]],
])('reads the quoted local parts of %s', (header, expected) => {
  expect(emailsOf(header)).toEqual(expected);
});

it.each(['"mallory@bank.example" <eva@home.example>', '"\\"mallory\\"@bank.example" <eva@home.example>'])(
  'does not mistake a quoted name for an address: %s',
  (header) => {
    expect(readAddresses(header).map(({ email }) => email)).toEqual(['eva@home.example']);
  },
);

it('takes no source route out of a quoted local part', () => {
  expect(readAddresses('"<@a:a"@example.com, <@b.example:eva@home.example>').map(({ email }) => email)).toEqual([
    '"<@a:a"@example.com',
    'eva@home.example',
  ]);
});

it('reads any quoted local part back unchanged', () => {
  const local = fc.string({ unit: fc.constantFrom(...'ab .,;:@()<>[]\\"é'), minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(local, (text) => {
      const quoted = `"${text.replace(/["\\]/g, '\\$&')}"@example.com`;
      const [first, ...others] = readAddresses(`${quoted}, eva@home.example`);
      expect(others.map(({ email }) => email)).toEqual(['eva@home.example']);
      expect(first?.email === quoted || first?.email === `${text}@example.com`).toBe(true);
      expect(readAddresses(first?.email ?? '')).toEqual([{ name: null, email: first?.email }]);
    }),
  );
});

it('reads hostile quotes within the test timeout', () => {
  for (const piece of ['"\\', '"@', '("', '<"', '"a"@b'])
    expect(readAddresses(piece.repeat(100_000)).length).toBeLessThanOrEqual(1_000);
});

it.each([
  ['bob@customer.test>', 'bob@customer.test'],
  ['<bob@customer.test', 'bob@customer.test'],
  ['Eve <<bob@customer.test>', 'bob@customer.test'],
  ['a <<bob@customer.test>>', 'bob@customer.test'],
  ['<@one.test,@two.test:bob@customer.test>', 'bob@customer.test'],
  ['Bob <@one.test:bob@customer.test>', 'bob@customer.test'],
  ['"<eva@x.test>" <bob@customer.test>', 'bob@customer.test'],
])('reads the address in %s', (written, email) => {
  expect(readAddresses(written).map((address) => address.email)).toEqual([email]);
});
