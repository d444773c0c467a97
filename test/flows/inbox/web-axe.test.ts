import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { axeFaults, signIn, useWebPages } from '../../pages/web-pages.ts';
import {
  fillScreens,
  goTo,
  inbox,
  pages,
  type Screen,
  settings,
  settingsSections,
  signedOut,
  ticket,
} from '../../pages/web-screens.ts';
import type { Person } from '../../worlds/factories.ts';

const house = useHouse();
const { openPage } = useWebPages(house);
/** All tests look at the workspace of this person. */
let owner: Person;

test('the walk visits every section of the settings', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../web/src/settings/SettingsPage.tsx'), 'utf8');
  const sections = [...page.matchAll(/^\s+(?:\{ )?id: '([\w-]+)',/gm)].map(([, id]) => id);
  expect(sections).toEqual(settingsSections);
});

/** The rules whose outcome a theme changes, and those whose outcome a size changes. */
const themeRules = ['color-contrast', 'link-in-text-block'];
const sizeRules = [...themeRules, 'target-size', 'scrollable-region-focusable'];
const frames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

/** A phone, twice the size in a window of 1,280 px, a tablet, and the widths of desks. */
const sizes = [
  { width: 360, height: 640 },
  { width: 640, height: 400 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
];

/** A list of the elements that reach out of the window. */
const outside = `[...document.querySelectorAll('button, input, select, dialog[open], :popover-open')]
  .filter((element) => element.checkVisibility({ visibilityProperty: true }))
  .filter((element) => element.closest('[class*=sections], [aria-label=Properties], .visually-hidden') === null)
  .filter((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    return width > 1 && (left < -1 || right > innerWidth + 1);
  })
  .map((element) => element.outerHTML.slice(0, 120))`;

beforeAll(async () => {
  owner = await fillScreens(house);
});

/** What is wrong with the screen in this theme, at each size. All rules run where the screen has its widest form. */
async function faultsIn(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  const faults: string[] = [];
  await page.emulateMedia({ colorScheme });
  for (const size of sizes) {
    await page.setViewportSize(size);
    await page.evaluate(frames);
    const cut = (await page.evaluate(outside)) as string[];
    const isWhole = colorScheme === 'light' ? size.width === 1280 : size.width === 360;
    const rules = colorScheme === 'light' ? sizeRules : themeRules;
    const found = [
      ...cut.map((element) => `cut off ${element}`),
      ...(await axeFaults(page, isWhole ? undefined : rules)),
    ];
    faults.push(...found.map((fault) => `${colorScheme}, ${size.width}: ${fault}`));
  }
  return faults;
}

test.each<[string, readonly Screen[]]>([
  ['the inbox', inbox],
  ['a ticket', ticket],
  ['the pages', pages],
  ['the settings', settings],
  ['the signed-out pages', signedOut],
])(
  'axe finds nothing in %s in both themes at each size, and nothing is cut off',
  { timeout: 600_000 },
  async (name, screens) => {
    const { page, complaints } = await openPage({ reducedMotion: 'reduce' });
    if (screens !== signedOut) {
      await signIn(page, owner);
      await goTo('/')(page);
    }
    const faults: string[] = [];
    for (const [screen, reach, shown] of screens) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await reach(page);
      await shown(page);
      for (const theme of ['light', 'dark'] as const)
        faults.push(...(await faultsIn(page, theme)).map((fault) => `${name}, ${screen}, ${fault}`));
    }
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
  },
);
