import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sanitizeHtml } from '../../src/ground/lib/html/sanitize.ts';
import { sharedBrowser } from '../pages/browser.ts';

let page: Page;
beforeAll(async () => {
  page = await (await sharedBrowser()).newPage({ viewport: { width: 1200, height: 900 } });
});
afterAll(() => page?.close());

/** The styles that docs/api.md prescribes for showing `bodyHtml`. */
const documented = 'contain: content; overflow: auto; isolation: isolate';

/** @returns how much of the page outside the message belongs to the mail, in per cent */
async function shareOutside(html: string, style: string): Promise<number> {
  await page.setContent(`<!doctype html><body style="margin:0;font:14px sans-serif">
      <header style="height:80px"><button>Close ticket</button></header>
      <div style="display:flex"><nav style="width:220px;height:600px"><a>Settings</a></nav>
      <main style="width:760px"><div id="message" style="padding:16px;${style}">${sanitizeHtml(html)}</div>
      <p><button>Answer</button></p></main></div></body>`);
  return await page.evaluate(() => {
    const { document } = globalThis as unknown as { document: any };
    const message = document.querySelector('#message');
    const { left, right, top, bottom } = message.getBoundingClientRect();
    let outside = 0;
    let taken = 0;
    for (let x = 2; x < 1200; x += 8) {
      for (let y = 2; y < 900; y += 8) {
        if (x >= left && x <= right && y >= top && y <= bottom) continue;
        outside++;
        if (message.contains(document.elementFromPoint(x, y))) taken++;
      }
    }
    return (100 * taken) / outside;
  });
}

const link = (style: string, text = '█'.repeat(10)) =>
  `<a href="https://evil.example/login" style="${style}">${text}</a>`;
const tall = '<div style="height:5000px">x</div>';

const overlays: [string, string][] = [
  [
    'huge letters in a line without a height',
    `<div style="line-height:0;height:1px;direction:rtl">${link('font-size:1500px')}</div>`,
  ],
  ['a child higher than its box', `<div style="height:0">${link('display:block;height:5000px')}</div>`],
  ['a child higher than its box may be', `<div style="max-height:1px">${tall}</div>`],
  ['a float', `<div>${link('float:left;width:100%;height:5000px')}</div>`],
  ['an aligned table', `<table align="left" height="5000" width="100%"><tr><td>${link('')}</td></tr></table>`],
  ['a flex box', `<div style="display:flex;height:0">${link('height:5000px;width:100%')}</div>`],
  ['a grid', `<div style="display:grid;height:0">${link('height:5000px;width:100%')}</div>`],
  ['letters that go backwards', `<div>${link('letter-spacing:-200px', 'abcdefghij')}</div>`],
  ['a cell that is a block', `<table><tr><td height="1" style="display:block;height:1px">${tall}</td></tr></table>`],
  ['the short form of a font', `<div style="line-height:12px">${link('font:1500px serif')}</div>`],
  ['sizes that multiply', `<div style="line-height:12px">${'<big>'.repeat(25)}${link('')}${'</big>'.repeat(25)}</div>`],
  [
    'shares that multiply',
    `${'<div style="font-size:3em;line-height:14px">'.repeat(6)}${link('')}${'</div>'.repeat(6)}`,
  ],
  ['sizes of the window', `<div style="margin-top:10vh;width:200vw">${link('')}</div>`],
];

describe('a mail shown in a page takes no click outside its place', () => {
  test.each(overlays)('by %s', async (_name, html) => {
    expect(await shareOutside(html, '')).toBe(0);
  });

  test.each([
    ...overlays,
    ['a word that does not end', `<div style="font-size:90px">${'a'.repeat(500)}</div>`],
    [
      'a word that does not end, to the left',
      `<div dir="rtl" style="font-size:90px;white-space:nowrap">${'ab '.repeat(200)}</div>`,
    ],
    ['a wide table', `<table width="5000"><tr><td>${link('')}</td></tr></table>`],
  ])('by %s, in the container of the guide', async (_name, html) => {
    expect(await shareOutside(html, documented)).toBe(0);
  });
});
