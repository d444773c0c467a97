import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkify } from './linkify.ts';

test('web addresses are links, without the punctuation behind them', () => {
  expect(linkify('See https://example.org/a?b=1, or not.')).toEqual([
    { text: 'See ', href: null },
    { text: 'https://example.org/a?b=1', href: 'https://example.org/a?b=1' },
    { text: ', or not.', href: null },
  ]);
});

test('no other scheme is a link', () => {
  expect(linkify('javascript:alert(1) data:text/html,x').every(({ href }) => href === null)).toBe(true);
});

test('the parts are the whole text', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.string().map((text) => `${text} https://example.org/${text}`),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(
        linkify(text)
          .map((part) => part.text)
          .join(''),
      ).toBe(text);
    }),
  );
});
