import { expect, test } from 'vitest';
import { localeOf } from './locale.ts';

test("the choice comes before the browser's languages, and English is the last resort", () => {
  expect(localeOf(null, ['de-AT', 'en-US'])).toBe('de-AT');
  expect(localeOf(null, ['fr', 'de', 'en-US'])).toBe('de');
  expect(localeOf('en', ['de-AT'])).toBe('en');
  expect(localeOf('fr', ['de-AT'])).toBe('de-AT');
  expect(localeOf('fr', ['es'])).toBe('en');
  expect(localeOf(null, [])).toBe('en');
  expect(localeOf(null, ['en-US@posix'])).toBe('en');
});

test("a chosen language without a region is the browser's", () => {
  expect(localeOf('en', ['de-DE', 'en-GB'])).toBe('en-GB');
  expect(localeOf('de', ['de-CH'])).toBe('de-CH');
  expect(localeOf('de-AT', ['de-CH'])).toBe('de-AT');
});
