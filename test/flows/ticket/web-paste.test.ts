import { parseMail } from '@kontor/mail/parse.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { startWriting, textOf, useWritingPages } from '../../pages/writing-pages.ts';

const house = useHouse();
const { openPage, openTicket } = useWritingPages(house);

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Clipboard = { html?: string; text?: string };

/** Pastes as a program would have copied. The clipboard of Chromium itself would strip what only Word writes. */
async function paste(page: Page, clipboard: Clipboard): Promise<void> {
  await page.evaluate(`(({ html, text }) => {
    const data = new DataTransfer();
    if (html !== undefined) data.setData('text/html', html);
    if (text !== undefined) data.setData('text/plain', text);
    const options = { clipboardData: data, bubbles: true, cancelable: true };
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', options));
  })(${JSON.stringify(clipboard)})`);
}

async function openBox(page: Page, subject: string) {
  const owner = await openTicket(page, subject);
  await startWriting(page);
  await page.getByRole('toolbar', { name: 'Format' }).waitFor();
  return owner;
}

/** What the box holds, without the parts that the browser needs for the cursor. */
const shown = async (page: Page) =>
  (await textOf(page).innerHTML()).replace(
    /<br class="ProseMirror-trailingBreak">|<img class="ProseMirror-sep[^>]*>/g,
    '',
  );

async function pasted(page: Page, clipboard: Clipboard): Promise<string> {
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await paste(page, clipboard);
  return shown(page);
}

const rowOf = (cells: string[]) => `<tr>${cells.map((cell) => `<td><p>${cell}</p></td>`).join('')}</tr>`;
const table = (...rows: string[][]) => `<table><tbody>${rows.map(rowOf).join('')}</tbody></table><p></p>`;
const wordItem = (marker: string, level: number, text: string) =>
  `<p class=MsoListParagraph style='margin-left:36pt;mso-list:l0 level${level} lfo1'><![if !supportLists]>` +
  `<span style='font-family:Symbol'><span style='mso-list:Ignore'>${marker}<span>&nbsp;&nbsp; </span></span></span>` +
  `<![endif]>${text}<o:p></o:p></p>\n`;

/** What programs put on the clipboard, and what the box makes of it. */
const copies: [string, Clipboard, string][] = [
  [
    'Excel',
    {
      html:
        '<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style>td{color:red}</style></head><body>' +
        '<!--StartFragment--><table border=0><col width=64><tr><td>Article</td><td>Price</td></tr>' +
        '<tr><td>Lamp</td><td align=right>49.00</td></tr></table><!--EndFragment--></body></html>',
      text: 'Article\tPrice\r\nLamp\t49.00\r\n',
    },
    table(['Article', 'Price'], ['Lamp', '49.00']),
  ],
  [
    'Google Docs',
    {
      html:
        '<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><div align="left"><table>' +
        '<colgroup><col width="10"/><col/></colgroup><tbody><tr><td><p dir="ltr"><span>a</span></p></td>' +
        '<td><p dir="ltr"><span style="text-decoration:line-through">b</span></p></td></tr></tbody></table></div></b>',
    },
    table(['a', '<s>b</s>']),
  ],
  [
    'Google Sheets',
    {
      html:
        '<google-sheets-html-origin><style>td{}</style><table><colgroup><col></colgroup><tbody>' +
        '<tr><td colspan="2">Sum</td></tr><tr><td></td><td>3</td></tr></tbody></table></google-sheets-html-origin>',
    },
    '<table><tbody><tr><td colspan="2"><p>Sum</p></td></tr><tr><td><p></p></td><td><p>3</p></td></tr></tbody></table>' +
      '<p></p>',
  ],
  [
    'LibreOffice',
    {
      html:
        '<table cellspacing="0" border="0"><thead><tr><th><b><font color="#fff">Item</font></b></th>' +
        '<th>No</th></tr></thead>' +
        '<tr><td><font face="Liberation Sans">Nut</font></td><td><strike>7</strike> <u>8</u></td></tr></table>',
    },
    '<table><tbody><tr><th><p><strong>Item</strong></p></th><th><p>No</p></th></tr>' +
      '<tr><td><p>Nut</p></td><td><p><s>7</s> <u>8</u></p></td></tr></tbody></table><p></p>',
  ],
  ['cells without their table', { html: '<tr><td>1</td><td>2</td></tr>' }, table(['1', '2'])],
  ['one column', { html: '<table><tr><td>one</td></tr><tr><td>two</td></tr></table>' }, '<p>one</p><p>two</p>'],
  [
    'a page laid out by tables',
    { html: '<table><tr><td>Menu</td><td><table><tr><td>1</td><td>2</td></tr></table></td></tr></table>' },
    `<p>Menu</p>${table(['1', '2'])}`,
  ],
  [
    'blocks in blocks',
    { html: '<div>a<div>b</div>c</div><div>d<p>e</p></div>' },
    '<p>a</p><p>b</p><p>c</p><p>d</p><p>e</p>',
  ],
  [
    'lists of Word',
    {
      html:
        '<p class=MsoNormal>Take:</p>' +
        wordItem('·', 1, 'First point') +
        wordItem('o', 2, 'Under it') +
        wordItem('·', 1, 'Second') +
        '<p class=MsoNormal>Then:</p>' +
        wordItem('3.', 1, 'three') +
        wordItem('4.', 1, 'four'),
    },
    '<p>Take:</p><ul><li><p>First point</p><ul><li><p>Under it</p></li></ul></li><li><p>Second</p></li></ul>' +
      '<p>Then:</p><ol start="3"><li><p>three</p></li><li><p>four</p></li></ol>',
  ],
  [
    'headings and empty lines',
    { html: '<h1>Offer</h1><p>Dear</p><p><o:p>&nbsp;</o:p></p><div><br></div><h2><span>Terms</span></h2>' },
    '<p><strong>Offer</strong></p><p>Dear</p><p></p><p></p><p><strong>Terms</strong></p>',
  ],
  [
    'struck text',
    { html: '<p><s>1</s> <del>2</del> <strike>3</strike> <span style="text-decoration: line-through">4</span> 5</p>' },
    '<p><s>1</s> <s>2</s> <s>3</s> <s>4</s> 5</p>',
  ],
  [
    'lines of text',
    { text: 'Dear Sir,\n\nfirst\nsecond\n\n\nlast' },
    '<p>Dear Sir,</p><p></p><p>first</p><p>second</p><p></p><p></p><p>last</p>',
  ],
  ['lines of Windows', { text: 'Dear Sir,\r\n\r\nfirst' }, '<p>Dear Sir,</p><p></p><p>first</p>'],
  [
    'a page with scripts and a tracker',
    {
      html:
        '<h1 style="color:red">Title</h1><p onclick="x()">Words <b>bold</b>' +
        '<img src="https://tracker.example/p.gif"><script>parent.ran = 1</script></p>',
      text: 'Title',
    },
    '<p><strong>Title</strong></p><p>Words <strong>bold</strong></p>',
  ],
  ['lines of an old Mac', { text: 'a\r\rb' }, '<p>a</p><p></p><p>b</p>'],
];

test('tables, lists, headings and empty lines keep their form', async () => {
  const { page, complaints, asked } = await openPage();
  await openBox(page, 'Pasted');
  for (const [name, clipboard, wanted] of copies) {
    const found = await pasted(page, clipboard);
    expect(`${name}: ${found}`).toBe(`${name}: ${wanted}`);
  }
  expect(await pasted(page, { html: `<table>${'<tr><td>x</td><td>y</td></tr>'.repeat(1_500)}</table>` })).toMatch(
    /^(<p>x \| y<\/p>){1500}$/,
  );
  expect(asked.filter((url) => url.includes('tracker'))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a pasted table is sent as a table and as lines, and outlives drafts, undo and quotes', async () => {
  const { page, complaints } = await openPage();
  const owner = await openBox(page, 'Table');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(page.url()).origin });
  const html =
    '<table><tr><td>Article</td><td>Qty</td><td>Price</td></tr>' +
    '<tr><td>SKU-4711</td><td>2</td><td><s>21.00</s> 19.99</td></tr></table>';
  await page.evaluate(
    `(() => {
      const html = new Blob([${JSON.stringify(html)}], { type: 'text/html' });
      return navigator.clipboard.write([new ClipboardItem({ 'text/html': html })]);
    })()`,
  );
  await page.keyboard.press('Control+v');
  const kept = table(['Article', 'Qty', 'Price'], ['SKU-4711', '2', '<s>21.00</s> 19.99']);
  await expect.poll(() => shown(page)).toBe(kept);
  // The text goes on below the table.
  await page.keyboard.press('Control+End');
  await page.keyboard.type('Kind regards');
  const whole = kept.replace('<p></p>', '<p>Kind regards</p>');
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.reload();
  await expect.poll(() => shown(page)).toBe(whole);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect.poll(() => shown(page)).toBe(whole);
  await page.getByText('Saved', { exact: true }).waitFor();
  const { id } = (await owner.call('GET', '/tickets/number/1')).body;
  const [draft] = (await owner.call('GET', '/drafts')).body.items;
  const { body, bodyHtml } = draft;
  const answer = { body, bodyHtml, sendEmail: true };
  expect(body).toBe('Article\tQty\tPrice\nSKU-4711\t2\t~~21.00~~ 19.99\nKind regards');
  expect((await owner.call('POST', `/tickets/${id}/messages`, answer)).status).toBe(201);
  await house.drain();
  expect(
    (await owner.call('POST', `/tickets/${id}/messages`, { bodyHtml: '<b>And?</b>', sendEmail: true, quote: 'thread' }))
      .status,
  ).toBe(201);
  await house.drain();
  const mails = await Promise.all((await house.outbox()).map((raw) => parseMail(Buffer.from(raw))));
  expect(mails).toHaveLength(2);
  for (const { text, html } of mails) {
    expect(html).toMatch(/<tr><td>SKU-4711<\/td><td>2<\/td><td><s>21\.00<\/s> 19\.99<\/td><\/tr>/);
    expect(text).toMatch(/SKU-4711\t2\t~~21\.00~~ 19\.99/);
  }
  expect(complaints).toEqual([]);
});

test('pictures of the clipboard are uploaded in their places, and others are named', async () => {
  const { page, complaints, asked } = await openPage();
  await openBox(page, 'Images');
  await paste(page, {
    html:
      `<p>see <img src="data:image/png;base64,${png}"> here, <s>old</s> new ` +
      '<img src="file:///C:/x/clip_image001.png"><img src="https://tracker.example/p.gif" width="1" height="1">' +
      '<img alt="😀" src="https://mail.example/e.png"></p>',
  });
  await page.getByText('One image could not be pasted').waitFor();
  const picture = textOf(page).locator('img[data-content-id$="@kontor"]');
  await picture.waitFor();
  expect(await picture.evaluate((image: any) => image.naturalWidth)).toBe(1);
  expect((await shown(page)).replace(/<img [^>]*>/, 'PICTURE')).toBe('<p>see PICTURE here, <s>old</s> new 😀</p>');
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/messages'));
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const { bodyHtml, body, attachmentIds } = (await sent).postDataJSON();
  expect(bodyHtml).toMatch(/^<div>see <img src="cid:[^"]+@kontor" alt="picture.png"> here, <s>old<\/s> new 😀<\/div>$/);
  expect(body).toBe('see [picture.png] here, ~~old~~ new 😀');
  expect(attachmentIds).toHaveLength(1);
  expect(asked.filter((url) => /tracker|mail\.example|^file:/.test(url))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a picture whose upload fails leaves the text, and cells pasted into a cell stay apart', async () => {
  const { page } = await openPage();
  await openBox(page, 'Failed');
  await page.route('**/uploads', (route) => route.abort());
  await paste(page, { html: `<p>a<img src="data:image/png;base64,${png}">b</p>` });
  await expect.poll(() => shown(page)).toBe('<p>ab</p>');
  await page.getByRole('list', { name: 'Files' }).getByText('picture.png').waitFor();
  await pasted(page, { html: '<table><tr><td>1</td><td>2</td></tr></table>' });
  await textOf(page).getByText('1').click();
  await page.keyboard.press('End');
  await paste(page, { html: '<table><tr><td>x</td><td>y</td></tr></table>' });
  expect(
    await textOf(page)
      .locator('td > *')
      .allTextContents()
      .then((texts) => texts.filter(Boolean).sort()),
  ).toEqual([...'12xy']);
});
