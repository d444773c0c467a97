import { expect, test } from 'vitest';
import { personOf } from './persons.ts';

const person = (name: string | null, email: string | null) =>
  personOf({ author: { type: 'customer', userId: null, name, email } });

test('an author is shown by name, but never only by another person’s address', () => {
  expect(person('Bob', 'bob@customer.test')).toBe('Bob');
  expect(person(null, 'bob@customer.test')).toBe('bob@customer.test');
  expect(person('bob@customer.test', 'eve@evil.test')).toBe('bob@customer.test <eve@evil.test>');
});
