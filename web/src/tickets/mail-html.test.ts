import { expect, test } from 'vitest';
import type { Attachment } from '../api/client.ts';
import { hasColours, remotePicturesIn, withPictures } from './mail-html.ts';

const url = 'https://kontor.example/v1/files/w/1?expires=1&signature=s';
const picture = { contentId: 'a&b@x', isInline: true, url } as Attachment;

test('an inline picture is shown from the address of its file, on this host', () => {
  expect(withPictures('<img src="cid:a&amp;b@x">', [picture])).toBe(
    '<img src="/v1/files/w/1?expires=1&amp;signature=s">',
  );
});

test.each([
  ['<img src="CID:a&amp;b@x">', 'a&b@x'],
  ['<img src="cid:p%25q%20r@x">', 'p%q r@x'],
  ['<img src="cid:a%40x">', 'a%40x'],
  ['<img src="cid:100%">', '100%'],
])('%s finds its picture', (html, contentId) => {
  expect(withPictures(html, [{ ...picture, contentId }])).toContain('src="/v1/files/');
});

test('a file that is listed below the text is not shown inside it', () => {
  const file = { ...picture, isInline: false, url: 'https://kontor.example/v1/files/w/2' };
  expect(withPictures('<img src="cid:a&amp;b@x">', [picture, file])).toContain('/v1/files/w/1');
});

test('a name without a file stays', () => {
  expect(withPictures('<img src="cid:none">', [picture])).toBe('<img src="cid:none">');
});

test('a remote picture is shown from our signed address, and stays blocked without one', () => {
  const url = 'https://kontor.example/v1/remote-images/w?address=a&signature=s';
  const html = '<img alt="x" data-src="https://a.example/?b&amp;c"><img data-src="https://b.example/">';
  expect(withPictures(html, [], [{ address: 'https://a.example/?b&c', url }])).toBe(
    '<img alt="x" src="/v1/remote-images/w?address=a&amp;signature=s"><img data-src="https://b.example/">',
  );
});

test('remote pictures are counted, and each host is named once', () => {
  const html =
    '<img data-src="https://a.example/1"><img alt="x" data-src="https://a.example/2?b&amp;c">' +
    '<img data-src="http://b.example:81/"> data-src="https://c.example"';
  expect(remotePicturesIn(html)).toEqual({ count: 3, hosts: ['a.example', 'b.example:81'] });
  expect(remotePicturesIn('<img src="cid:x">')).toEqual({ count: 0, hosts: [] });
});

test('a mail that sets colours is recognised', () => {
  expect(hasColours('<p>Hello</p>')).toBe(false);
  expect(hasColours('<p style="margin:0">The color="red" of <b>roses</b></p>')).toBe(true);
  expect(hasColours('<td bgcolor="#fff">x</td>')).toBe(true);
  expect(hasColours('<p style="margin:0;background-color:#eee">x</p>')).toBe(true);
});
