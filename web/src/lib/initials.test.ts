import { expect, test } from 'vitest';
import { initialsOf } from './initials.ts';

test.each([
  ['Priya Nair', 'PN'],
  ['Jean-Luc de la Tour', 'JT'],
  ['ada@lovelace.example', 'AE'],
  ['"Acme" (Support)', 'AS'],
  ['佐々木 健', '佐'],
  ['ليلى حداد', 'ل'],
  ['𝒜lan 𝒯uring', '𝒜𝒯'],
  ['Zoë', 'Z'],
  ['🚲', '?'],
  ['', '?'],
])('%s has the initials %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});
