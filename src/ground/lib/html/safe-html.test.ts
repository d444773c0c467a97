import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostileHtml } from '../../../../test/walks/hostile-html.ts';
import { HTML_CHARS_MAX, joinSafe, safeHtmlOf } from './safe-html.ts';
import { sanitizeHtml } from './sanitize.ts';

const again = (html: string) => sanitizeHtml(html, { keepsMentions: true });

const user = '01900000-0000-7000-8000-000000000000';
const part = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.integer().map(hostileHtml),
  fc.constantFrom(
    ...['<p>', '</p>', '<b>', '</b>', '<div>', '</div>', '<br>', '<ul><li>', '</ul>', '<table><tr><td>', '</table>'],
    ...[
      '<a href="https://a.example/?b=c&d">',
      '</a>',
      '<img src="cid:x">',
      '<img align="left" src="https://b.example">',
    ],
    ...[
      '<blockquote type="cite">',
      '</blockquote>',
      '<p style="float:left;color:red">',
      '&amp;',
      '&quot;',
      '&nbsp;',
      '"',
    ],
    ...[`<span class="mention" data-user="${user}">`, '</span>', '<font size="7">', '\0', '\r\n', '\ud800'],
  ),
);
/** Stored HTML. A second pass mends only nesting that HTML forbids, so that is left out here. */
const stored = fc
  .array(part, { maxLength: 40 })
  .map((parts) => again(parts.join('')))
  .filter((html) => again(html) === html);

describe('safe pieces inside safe tags', () => {
  const wraps: ((...pieces: string[]) => string)[] = [
    (one) => one,
    (one) => `<div class="gmail_quote"><blockquote type="cite" style="margin:0 0 0 8px">${one}</blockquote></div>`,
    (one, other) => `<div>${one}</div><br /><div>${other}</div>`,
    (one, other) => `${one}<br /><div class="gmail_quote">${other}</div>`,
  ];

  test('are what a second pass makes of them', () => {
    fc.assert(
      fc.property(stored, stored, fc.constantFrom(...wraps), (one, other, wrap) => {
        const pieces = wrap(one, other);
        expect(joinSafe(pieces)).toBe(again(pieces));
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['deep elements', `${'<div>'.repeat(98)}<p><b>a<img src="cid:x" /></b>b</p>${'</div>'.repeat(98)}`],
    ['many tags', '<b>a</b>'.repeat(49_999)],
    ['too many tags', '<br />'.repeat(100_000)],
    ['floats', '<p style="float:left">a</p>'],
  ])('with %s too', (_, inner) => {
    const pieces = `<div><blockquote>${inner}</blockquote></div>`;
    expect(joinSafe(pieces)).toBe(again(pieces));
  });

  test.each([
    ['tags', '<p><b>a</b></p>'.repeat(66_600)],
    ['entities', '&amp;'.repeat(199_990)],
    ['an address', `<a href="https://a.example/${'b'.repeat(999_950)}">c</a>`],
  ])('that are too long are cut between %s, and closed', (_, inner) => {
    const joined = joinSafe(`<div><blockquote>${inner}${inner}</blockquote></div>`);
    expect(joined.length).toBeLessThan(HTML_CHARS_MAX);
    expect(joined).toBe(again(joined));
  });
});

test('text becomes the same HTML as by the sanitizer', () => {
  const text = fc.array(
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '&', '<b>', '"', '\0', '\ud800', '\r\n')),
  );
  fc.assert(
    fc.property(text, (parts) => {
      const escaped = parts.join('').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>\n');
      expect(safeHtmlOf(parts.join(''))).toBe(again(`<div>${escaped}</div>`));
    }),
  );
  expect(safeHtmlOf('&'.repeat(HTML_CHARS_MAX)).length).toBeLessThan(HTML_CHARS_MAX);
});
