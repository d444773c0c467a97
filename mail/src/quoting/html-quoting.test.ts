import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitHtml } from '../../../src/ground/lib/html/html-ranges.ts';
import { sanitizeHtml } from '../../../src/ground/lib/html/sanitize.ts';
import { quotedRanges } from './html-quoting.ts';

/** Returns the ranges as the service stores and returns them: null when nothing is folded. */
function partsOf(mail: string) {
  const html = sanitizeHtml(mail);
  const ranges = quotedRanges(html);
  return ranges === null ? null : splitHtml(html, ranges);
}

const quote = '<blockquote type="cite"><p>When does it ship?</p></blockquote>';
const attribution =
  'On 28 Jan 2026, at 19:04, Ola Nord &lt;<a href="mailto:ola@shop.example">ola@shop.example</a>&gt; wrote:';

const folded: Record<string, string> = {
  Gmail: [
    '<div dir="ltr">Own words</div><br>',
    `<div class="gmail_quote"><div dir="ltr" class="gmail_attr">${attribution}<br></div>`,
    '<blockquote class="gmail_quote" style="margin:0 0 0 .8ex"><div>Their words</div></blockquote></div>',
  ].join(''),
  'Apple Mail': [
    `<html><body>Own words<div><br><blockquote type="cite"><div>${attribution}</div><br>`,
    '<div>Their words</div></blockquote></div></body></html>',
  ].join(''),
  Thunderbird: [
    `<p>Own words</p><div class="moz-cite-prefix">${attribution}<br></div>`,
    '<blockquote type="cite" cite="mid:1@x"><p>Their words</p></blockquote>',
  ].join(''),
  Outlook: [
    '<div class="WordSection1"><p class="MsoNormal">Own words</p><p>&nbsp;</p>',
    '<div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in">',
    '<p><b>From:</b> Ola Nord &lt;ola@shop.example&gt;<br><b>Sent:</b> Monday, January 26, 2026 9:00 AM<br>',
    '<b>To:</b> Eva<br><b>Subject:</b> Order</p></div></div><p>Their words</p></div>',
  ].join(''),
  'Outlook on the web': [
    '<div>Own words</div><div id="appendonsend"></div>',
    '<hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr">',
    '<font face="Calibri"><b>Von:</b> Ola Nord &lt;ola@shop.example&gt;<br>',
    '<b>Gesendet:</b> Montag, 26. Januar 2026 09:00<br><b>An:</b> Eva<br><b>Betreff:</b> Order</font>',
    '<div>&nbsp;</div></div><div>Their words</div>',
  ].join(''),
  Yahoo: [
    '<div>Own words</div><div class="yahoo_quoted">',
    '<div>On Monday, January 26, 2026 at 09:00:00 AM GMT+1, Ola Nord &lt;ola@shop.example&gt; wrote:</div>',
    '<div>Their words</div></div>',
  ].join(''),
  'a divider in a paragraph': '<p>Own words</p><p>-----Original Message-----</p><p>Their words</p>',
  'a divider with a word that tags cut':
    '<p>Own words</p><p>-----Original Mess<span>age</span>-----</p><p>Their words</p>',
  'preformatted text': `<pre>Own words\n\n${attribution}\n&gt; Their words\n</pre>`,
  'an answer below one quote': [
    `<div>${attribution}</div><blockquote type="cite">Their words</blockquote>`,
    '<p>Own words</p>',
  ].join(''),
};

test.each(Object.entries(folded))('what %s quotes is apart from the new part', (_, mail) => {
  const parts = partsOf(mail);
  expect(parts?.outside).toContain('Own words');
  expect(parts?.outside).not.toMatch(/Their words|wrote:|From:|Von:|border-top|<hr/);
  expect(parts?.inside).toContain('Their words');
  expect(parts?.inside).not.toContain('Own words');
  for (const part of [parts?.outside ?? '', parts?.inside ?? '']) expect(sanitizeHtml(part)).toBe(part);
});

const open: Record<string, string> = {
  'a mail without a quote': '<p>Hello</p><p>Where is my parcel?</p>',
  'answers between quotes': `<p>See my answers</p><div>${attribution}</div>${quote}<p>Tomorrow.</p>${quote}<p>Yes.</p>`,
  'answers in a colour that the writer announces':
    folded.Outlook?.replace('Own words', 'My answers are below in red') ?? '',
  'an indented paragraph at the end':
    '<p>They told me this:</p><blockquote style="margin:0 0 0 40px">Wait a week.</blockquote>',
  'a forwarded mail':
    '<div>---------- Forwarded message ---------<br>From: Ola &lt;ola@x.example&gt;</div><p>Words</p>',
  'nothing but a quote': quote,
  'a picture below the quote': `<p>Look</p><div>${attribution}</div>${quote}<img src="cid:a@b">`,
  'a signature': '<p>Thanks</p><div>-- <br>Eva<br>Sales</div>',
};

test.each(Object.entries(open))('%s stays whole', (_, mail) => {
  expect(partsOf(mail)).toBeNull();
});

test('for any HTML, no text between the parts is lost or repeated, and tags stay balanced', () => {
  const piece = fc.constantFrom(
    ...['<div>', '</div>', '<p>', '<b>', '</b>', '<br>', '<hr>', quote, attribution, 'words ', '<blockquote>'],
    ...['</blockquote>', '<table><tr><td>', '</td></tr></table>', '<img src="cid:a">', '&lt;', '<pre>', '</pre>', '\n'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(2_000), { maxLength: 4 }), (pieces, offsets) => {
      const html = sanitizeHtml(pieces.join(''));
      const starts = [...html.matchAll(/<[a-z]/g)].map(({ index }) => index);
      const anywhere = offsets.map((offset) => starts[offset % Math.max(starts.length, 1)] ?? 0).sort((a, b) => a - b);
      for (const ranges of [quotedRanges(html), anywhere.slice(0, anywhere.length & ~1)]) {
        const { outside, inside } = splitHtml(html, ranges ?? []);
        const textOf = (part: string) => part.replace(/<[^>]*>/g, '');
        expect([...(textOf(outside) + textOf(inside))].sort()).toEqual([...textOf(html)].sort());
        for (const part of [outside, inside]) expect(isBalanced(part)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

function isBalanced(html: string): boolean {
  const open: string[] = [];
  for (const [tag, slash, name] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
    if (slash === '' && !tag.endsWith('/>')) open.push(name ?? '');
    if (slash === '/' && open.pop() !== name) return false;
  }
  return open.length === 0;
}
