/**
 * Makes the icons of the web inbox from web/public/icon.svg: PNGs for home screens, and the icon of a tab with unread
 * notifications. `npm run icons`, after a change of the SVG.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openBrowser } from '../test/pages/browser.ts';

const folder = join(import.meta.dirname, '../web/public');

/** Systems cut a maskable icon to a shape of their own; its middle, of four fifths, always stays. */
const pictures = [
  { name: 'icon-192.png', size: 192, isMaskable: false },
  { name: 'icon-512.png', size: 512, isMaskable: false },
  { name: 'icon-maskable.png', size: 512, isMaskable: true },
  { name: 'icon-apple.png', size: 180, isMaskable: true },
];

const svg = await readFile(join(folder, 'icon.svg'), 'utf8');
const dot = '<circle cx="25" cy="7" r="7" fill="#fff"/><circle cx="25" cy="7" r="5.5" fill="#d6303f"/></svg>';
await writeFile(join(folder, 'icon-unread.svg'), svg.replace('</svg>', dot));

const browser = await openBrowser();
try {
  for (const { name, size, isMaskable } of pictures) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    const drawn = isMaskable ? svg.replace('rx="7"', 'rx="0"') : svg;
    await page.setContent(`<style>*{margin:0}svg{display:block;width:100vw;height:100vh}</style>${drawn}`);
    await writeFile(join(folder, name), await page.screenshot({ omitBackground: true }));
    await page.close();
  }
} finally {
  await browser.close();
}
