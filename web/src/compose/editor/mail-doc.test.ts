import type { JSONContent } from '@tiptap/core';
import { expect, test } from 'vitest';
import { docOfText, pastedPrefix, withoutFillers, writtenOf } from './mail-doc.ts';

const text = (words: string, ...marks: NonNullable<JSONContent['marks']>): JSONContent => ({
  type: 'text',
  text: words,
  marks,
});
const line = (...content: JSONContent[]): JSONContent => ({ type: 'paragraph', content });
const doc = (...content: JSONContent[]): JSONContent => ({ type: 'doc', content });
const item = (...content: JSONContent[]): JSONContent => ({ type: 'listItem', content });
const bob = '0199aaaa-0000-7000-8000-000000000001';

test.each(['', 'One line', 'Two\n\nparagraphs & <tags>', `Ask @[Bob](user:${bob}) first\n`])(
  'plain text %j stays as it is, without HTML',
  (words) => {
    expect(writtenOf(docOfText(words))).toEqual({ body: words, bodyHtml: null });
  },
);

test('formatting becomes HTML as mail programs write it, and readable plain text', () => {
  const written = writtenOf(
    doc(
      line(text('Hello '), text('Ann', { type: 'bold' }), text(' <&>')),
      line(),
      {
        type: 'bulletList',
        content: [item(line(text('one')), { type: 'bulletList', content: [item(line(text('in it')))] })],
      },
      { type: 'orderedList', attrs: { start: 3 }, content: [item(line(text('three'))), item(line(text('four')))] },
      { type: 'blockquote', content: [line(text('you said')), line(text('this'))] },
      line(text('see this', { type: 'link', attrs: { href: 'https://example.org/?a&b' } })),
    ),
  );
  expect(written.body).toBe(
    'Hello Ann <&>\n\n- one\n  - in it\n3. three\n4. four\n> you said\n> this\nsee this <https://example.org/?a&b>',
  );
  expect(written.bodyHtml).toBe(
    '<div>Hello <b>Ann</b> &lt;&amp;&gt;</div><div><br></div><ul><li>one<ul><li>in it</li></ul></li></ul>' +
      '<ol start="3"><li>three</li><li>four</li></ol><blockquote><div>you said</div><div>this</div></blockquote>' +
      '<div><a href="https://example.org/?a&amp;b">see this</a></div>',
  );
});

test('a link on its own address needs no HTML, and a picture does', () => {
  const address = 'https://example.org/';
  expect(writtenOf(doc(line(text(address, { type: 'link', attrs: { href: address } })))).bodyHtml).toBeNull();
  const picture = { type: 'picture', attrs: { contentId: 'a"b@kontor', alt: 'Screen' } };
  expect(writtenOf(doc(line(picture)))).toEqual({
    body: '[Screen]',
    bodyHtml: '<div><img src="cid:a&quot;b@kontor" alt="Screen"></div>',
  });
});

test('mentions are spans in HTML, and in the syntax of the API in plain text', () => {
  const mention = { type: 'mention', attrs: { userId: bob, name: 'Bob [b]' } };
  const { body, bodyHtml } = writtenOf(doc(line(mention, text(' now', { type: 'italic' }))));
  expect(body).toBe(`@[Bob [b ](user:${bob}) now`);
  expect(bodyHtml).toBe(`<div><span class="mention" data-user="${bob}">@Bob [b </span><i> now</i></div>`);
});

test('breaks and spaces that only HTML needs are removed', () => {
  expect(withoutFillers(doc(line({ type: 'hardBreak' }), line(text('a\u00a0 b'))))).toEqual(
    doc({ type: 'paragraph' }, line(text('a  b'))),
  );
});

test('a table is a table in HTML, and in text a line for each row with tabs between cells', () => {
  const cell = (attrs: object, ...content: JSONContent[]): JSONContent => ({ type: 'tableCell', attrs, content });
  const row = (...content: JSONContent[]): JSONContent => ({ type: 'tableRow', content });
  const { body, bodyHtml } = writtenOf(
    doc(
      {
        type: 'table',
        content: [
          row(cell({ isHead: true, colspan: 2, rowspan: 1 }, line(text('Lamp & co')))),
          row(cell({}, line(text('two')), line(text('lines'))), cell({}, line())),
        ],
      },
      line(),
    ),
  );
  expect(body).toBe('Lamp & co\ntwo lines\t\n');
  expect(bodyHtml).toBe(
    '<table border="1" cellpadding="4" style="border-collapse:collapse"><tr><th colspan="2">Lamp &amp; co</th></tr>' +
      '<tr><td><div>two</div><div>lines</div></td><td></td></tr></table><div><br></div>',
  );
});

test('struck words have signs in text, and underlined words do not', () => {
  const { body, bodyHtml } = writtenOf(
    doc(line(text('was '), text(' 5 ', { type: 'strike' }), text('now'), text(' 4', { type: 'underline' }))),
  );
  expect(body).toBe('was  ~~5~~ now 4');
  expect(bodyHtml).toBe('<div>was <s> 5 </s>now<u> 4</u></div>');
});

test('a pasted picture is no part of the mail until its file is uploaded', () => {
  const picture = { type: 'picture', attrs: { contentId: `${pastedPrefix}1`, alt: '' } };
  expect(writtenOf(doc(line(text('a'), picture, text('b'))))).toEqual({ body: 'ab', bodyHtml: null });
});
