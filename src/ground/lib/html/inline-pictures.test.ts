import { expect, it } from 'vitest';
import { inlinePictures, nameablePictures } from './inline-pictures.ts';
import { sanitizeHtml } from './sanitize.ts';

const file = (contentId: string | null, contentType = 'image/png') => ({ contentId, contentType });
const isInline = (html: string, one = file('a')) => inlinePictures([one], sanitizeHtml(html)).has(one);

it.each([
  ['<img src="cid:a">', 'a'],
  ["<IMG alt='x' SRC = 'CID:up@x'>", 'up@x'],
  ['<img src="cid:p%25q%20r@x">', 'p%q r@x'],
  ['<img src="cid:at%40x">', 'at@x'],
  ['<img src="cid:a&amp;b">', 'a&b'],
  ['<img src=cid:100%>', '100%'],
  ['<img src=" cid:a\n">', 'a'],
])('%s shows its picture', (html, contentId) => {
  expect(isInline(html, file(contentId))).toBe(true);
});

it.each([
  ['<a href="cid:a">a.png</a>'],
  ['<object data="cid:a"></object>'],
  ['<attachment src="cid:a"></attachment>'],
  ['<video src="cid:a"></video><svg><image href="cid:a"/></svg>'],
  ['<div style="background:url(cid:a)">x</div><table background="cid:a">'],
  ['<!-- <img src="cid:a"> -->'],
  ['<style>b{background:url(cid:a)}</style>'],
  ['the words cid:a &lt;img src="cid:a"&gt;'],
  ['<img src="cid:b">'],
  ['<img alt="src=&quot;cid:a&quot;">'],
  [`${'x'.repeat(1_000_000)}<img src="cid:a">`],
])('%.60s shows no picture', (html) => {
  expect(isInline(html)).toBe(false);
});

it.each(['application/pdf', 'image/heic', 'image/tiff', 'application/octet-stream'])('no browser draws %s', (type) => {
  expect(isInline('<img src="cid:a">', file('a', type))).toBe(false);
});

it('shows one of two files with one Content-ID', () => {
  const files = [file('a'), file('a'), file('a', 'application/pdf')];
  expect([...inlinePictures(files, '<img src="cid:a" />')]).toEqual([files[1]]);
});

it('shows pictures that the HTML names by file name, by Content-Location or without scheme', () => {
  const named = (contentId: string | null, fileName: string | null, location: string | null) => ({
    ...file(contentId),
    fileName,
    location,
  });
  const { files, contentIds } = nameablePictures([
    named('1@x', 'image001.png', null),
    named(null, 'b.png', 'http://shop.test/b.png'),
    named(null, 'c.png', null),
    named('4@x', null, null),
    { ...named('5@x', 'e.pdf', null), contentType: 'application/pdf' },
    named(null, null, null),
  ]);
  const sources = ['image001.png', 'http://shop.test/b.png', 'c.png', '4@x', 'e.pdf', 'other.png'];
  const html = sanitizeHtml(sources.map((source) => `<img src="${source}">`).join(''), { contentIds });
  const inline = inlinePictures(files, html);
  expect(files.map((one) => inline.has(one))).toEqual([true, true, true, true, false, false]);
  expect(html).toContain('<img src="cid:1@x" /><img src="cid:http://shop.test/b.png" /><img src="cid:c.png" />');
});
