import { describe, expect, it } from 'vitest';
import { sanitizeHtml } from '../../../src/ground/lib/html/sanitize.ts';
import { htmlToText } from './html-text.ts';

describe('the text of HTML', () => {
  it.each([
    [
      'cells of a table, and its rows',
      '<table><tr><th>Article</th><th>Qty</th></tr><tr><td>SKU-4711</td><td>2</td><td>19.99</td></tr></table>',
      'Article Qty\nSKU-4711 2 19.99',
    ],
    ['cells that a program left without a table', '<td>x</td><td>y</td>', 'x y'],
    ['paragraphs in cells', '<table><tr><td><p>a</p></td><td><p>b</p></td></tr></table>', 'a\n\nb'],
    [
      'terms and their descriptions',
      '<dl><dt>Phone</dt><dd>030</dd><dt>Name</dt><dd>Zora</dd></dl>',
      'Phone\n030\nName\nZora',
    ],
    ['items without a list', '<li>one</li><li>two</li>', 'one\ntwo'],
    [
      'other blocks',
      '<figure>a<figcaption>b</figcaption></figure><address>c</address><center>d</center>',
      'a\nb\nc\nd',
    ],
    ['a caption', '<table><caption>Sizes</caption><tr><td>1</td></tr></table>', 'Sizes\n1'],
    ['choices', '<select><option>small<option>large</select>', 'small\nlarge'],
    ['words beside a picture', 'before<img src="x.png">after', 'before after'],
    [
      'elements that their style makes blocks',
      '<span style="display:block">a</span><span style="color:red; DISPLAY : flex !important">b</span>',
      'a\nb',
    ],
    [
      'elements that their style sets apart',
      '<span style="float:left">a</span><b style="display:inline-block">b</b>',
      'a b',
    ],
  ])('keeps apart %s', (_what, html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  it.each([
    ['markup', '<p>Rech<b>nu</b><span style="color:red">ng</span></p>', 'Rechnung'],
    ['a place where a line may break', 'Rech<wbr>nung', 'Rechnung'],
    [
      'blocks that their style puts into the line',
      '<div style="display:inline">Rech</div><div style="display: inline">nung</div>',
      'Rechnung',
    ],
    ['a link', 'Rech<a href="#x">nung</a>', 'Rechnung'],
  ])('keeps together a word with %s inside', (_what, html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  it.each([
    ['<a href="https://shop.test/5">Order 5</a>', 'Order 5 [https://shop.test/5]'],
    ['<a href="https://shop.test/5"><img src="x.png"></a>Hello', '[https://shop.test/5]Hello'],
    ['<a href="https://shop.test/5"> https://shop.test<b>/5</b></a>', 'https://shop.test/5'],
    ['<a href="MAILTO:bob@x.test">bob@x.test</a>', 'bob@x.test'],
    ['<a style="display:block" href="https://a.test">Home</a><a href="#top">Top</a>', 'Home [https://a.test]\nTop'],
  ])('writes the address of a link behind its text: %s', (html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  it('marks ten levels of quotes, so that nesting does not multiply the text', () => {
    const text = htmlToText(`${'<blockquote>'.repeat(150)}<pre>${'a\n'.repeat(1_000)}`);
    expect(text.split('\n')).toHaveLength(1_000);
    expect(text.startsWith(`${'> '.repeat(10)}a\n`)).toBe(true);
  });

  it('indents ten levels of lists', () => {
    expect(htmlToText(`${'<ul><li>'.repeat(90)}a<br>b`).length).toBeLessThan(200);
  });

  it('reads nested links once', () => {
    expect(htmlToText(`${'<a href="https://a.test/ab">'.repeat(150)}ab`)).toMatch(
      /^ab(?: \[https:\/\/a\.test\/ab\]){150}$/,
    );
  });

  it.each([
    ['<p>old <s>19.99</s> new 14.99</p>', 'old ~~19.99~~ new 14.99'],
    ['<del>1</del> <strike>2</strike> <ins>3</ins>', '~~1~~ ~~2~~ 3'],
    ['<s><b>a</b> b</s>', '~~a b~~'],
  ])('keeps a sign of the struck words in %j', (html, text) => {
    expect(htmlToText(html)).toBe(text);
  });
});

it.each([
  [2_000, 20],
  [5_000, 20],
])('a table of %i rows and %i columns, which no parser takes in time, keeps its lines', (rows, columns) => {
  const row = (at: number) => `<tr>${'<td>c</td>'.repeat(columns - 1)}<td>end ${at}</td></tr>\r\n`;
  const table = `<p>Dear all,</p><table>${Array.from({ length: rows }, (_, at) => row(at)).join('')}</table>`;
  for (const text of [htmlToText(table), htmlToText(sanitizeHtml(table))]) {
    const lines = text.split('\n').filter((line) => line !== '');
    expect(lines.slice(0, 3)).toEqual([
      'Dear all,',
      `${'c '.repeat(columns - 1)}end 0`,
      `${'c '.repeat(columns - 1)}end 1`,
    ]);
    expect(lines.length).toBeGreaterThanOrEqual(2_001);
  }
});
