import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedBrowser } from '../../pages/browser.ts';
import { openGallery, showGallery } from '../../pages/gallery.ts';
import { axeFaults } from '../../pages/web-pages.ts';

const web = join(import.meta.dirname, '../../../web');
let folder: string;
let gallery: Awaited<ReturnType<typeof openGallery>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-gallery-'));
  gallery = await openGallery(folder);
}, 180_000);
afterAll(async () => {
  await gallery?.close();
  await rm(folder, { recursive: true, force: true });
});

/** What reaches out of its place at a side. */
const cutOff = `[...document.querySelectorAll('main *, dialog[open] *')]
  .filter((element) => element.checkVisibility({ visibilityProperty: true }))
  .filter((element) => element.closest('.visually-hidden, svg') === null)
  .filter((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    const place = element.closest('[class*=narrow], section, dialog') ?? document.documentElement;
    const part = place.getBoundingClientRect();
    return width > 1 && (left < part.left - 1 || right > part.right + 1);
  })
  .map((element) => element.outerHTML.slice(0, 120))`;

test('the gallery has every component of the kit', () => {
  const shown = globSync('gallery/*.tsx', { cwd: web }).map((path) => readFileSync(join(web, path), 'utf8'));
  const missing = globSync('src/ui/!(*.test).tsx', { cwd: web })
    .map((path) => basename(path))
    .filter((name) => name !== 'later.tsx' && !shown.some((text) => text.includes(`/ui/${name}'`)));
  expect(missing).toEqual([]);
});

test.each([
  ['light', '?dir=ltr', 1280],
  ['dark', '?dir=ltr', 1280],
  ['light', '?dir=rtl', 1280],
  ['light', '?dir=ltr', 640],
  ['dark', '?dir=rtl', 360],
  ['light', '?open=dialog', 360],
  ['dark', '?open=dialog&dir=rtl', 1280],
] as const)(
  'axe finds nothing in the gallery and nothing is cut off: %s, %s, %i px',
  async (colorScheme, query, width) => {
    const viewport = { width, height: 800 };
    const context = await (await sharedBrowser()).newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
    try {
      const page = await context.newPage();
      if (query.includes('dialog')) {
        await page.goto(`${gallery.url}${query}`);
        await page.getByRole('dialog').waitFor();
      } else await showGallery(page, `${gallery.url}${query}`);
      expect(await page.evaluate(cutOff)).toEqual([]);
      expect(await axeFaults(page)).toEqual([]);
    } finally {
      await context.close();
    }
  },
  120_000,
);
