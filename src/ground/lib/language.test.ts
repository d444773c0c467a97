import { expect, test } from 'vitest';
import { languageOfHeader } from './language.ts';

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['fr-FR,fr;q=0.9,de;q=0.7,en;q=0.3', 'de'],
  ['en-US,en;q=0.9,de;q=0.8', 'en'],
  ['DE', 'de'],
  ['fr', null],
  ['*', null],
  ['de;q=0', null],
  ['', null],
  ['\u0000;;;,,', null],
  ['de,'.repeat(5_000), 'de'],
])('a browser that prefers %j is written to in %j', (header, language) => {
  expect(languageOfHeader(header)).toBe(language);
});

test('a caller without the header has no language', () => {
  expect(languageOfHeader(undefined)).toBeNull();
});
