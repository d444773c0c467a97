import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { signIn, useWebPages } from '../../pages/web-pages.ts';
import { fillScreens, goTo, inbox, pages, type Screen, settings, signedOut, ticket } from '../../pages/web-screens.ts';
import type { Person } from '../../worlds/factories.ts';

/** What a finger can hit. */

const house = useHouse();
const { openPage } = useWebPages(house);
let owner: Person;

beforeAll(async () => {
  owner = await fillScreens(house);
});

/**
 * The targets that are smaller than 44 px and so near another one that a finger on their middle may hit that instead:
 * WCAG 2.5.8 allows a small target if a circle of the wanted size around it meets no other. Links within a sentence are
 * as large as their words.
 */
const tooSmall = `(() => {
  const selector = 'a[href], button, input, select, textarea, summary, label:has(input), ' +
    '[role=button], [role=option], [role=tab], [role^=menuitem], [contenteditable=true]';
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    getComputedStyle(one).pointerEvents !== 'none' && !one.disabled && one.closest('[inert]') === null;
  const targetOf = (one) => one?.closest('label:has(input)') ?? one?.closest(selector);
  const isInSentence = (one) => one.matches('a, button') && getComputedStyle(one).display === 'inline';
  const targets = new Set([...document.querySelectorAll(selector)].filter(isShown).map(targetOf));
  const faults = [];
  for (const target of targets) {
    target.scrollIntoView({ block: 'center', inline: 'center' });
    const { x, y, width, height } = target.getBoundingClientRect();
    if (width <= 1 || (width >= 44 && height >= 44) || isInSentence(target)) continue;
    const [middleX, middleY] = [x + width / 2, y + height / 2];
    if (targetOf(document.elementFromPoint(middleX, middleY)) !== target) continue;
    for (let turn = 0; turn < 8; turn += 1) {
      const angle = (turn * Math.PI) / 4;
      const met = document.elementFromPoint(middleX + 21 * Math.cos(angle), middleY + 21 * Math.sin(angle));
      const other = targetOf(met);
      if (other == null || other.contains(target) || target.contains(other)) continue;
      faults.push(target.outerHTML.slice(0, 140) + ' at ' + Math.round(width) + ' by ' + Math.round(height) +
        ' beside ' + other.outerHTML.slice(0, 140));
      break;
    }
  }
  return faults;
})()`;

test.each<[string, readonly Screen[]]>([
  ['the inbox', inbox],
  ['a ticket', ticket],
  ['the pages', pages],
  ['the settings', settings],
  ['the signed-out pages', signedOut],
])('a finger hits each target in %s, on a phone and on a tablet', async (name, screens) => {
  const { page } = await openPage({
    ...{ hasTouch: true, isMobile: true, viewport: { width: 1280, height: 800 } },
    // A menu that is still growing has smaller lines.
    reducedMotion: 'reduce',
  });
  if (screens !== signedOut) {
    await signIn(page, owner);
    await goTo('/')(page);
  }
  const faults: string[] = [];
  for (const [screen, reach, shown] of screens) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await reach(page);
    await shown(page);
    for (const [width, height] of [
      [1024, 768],
      [390, 800],
    ] as const) {
      await page.setViewportSize({ width, height });
      const found = (await page.evaluate(tooSmall)) as string[];
      faults.push(...found.map((fault) => `${name}, ${screen}, ${width}: ${fault}`));
    }
  }
  expect(faults).toEqual([]);
});
