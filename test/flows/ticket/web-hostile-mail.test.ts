import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { useWebPages } from '../../pages/web-pages.ts';
import { hostileHtml } from '../../walks/hostile-html.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

/** `HOSTILE_MAILS=6000` tries more mails. */
const mailCount = Number(process.env.HOSTILE_MAILS ?? 100);
const firstSeed = Number(process.env.HOSTILE_SEED ?? 1);
const atOnce = 50;

/** A list of forbidden contents and effects of the mail in its frame. */
const look = `(() => {
  const faults = [];
  const frame = document.querySelector('iframe:not([hidden])');
  const page = frame.contentDocument;
  if (window.ran !== undefined || frame.contentWindow.ran !== undefined) faults.push('something ran');
  if (page.location.href !== 'about:srcdoc') faults.push('the frame went to ' + page.location.href);
  for (const element of page.body.querySelectorAll('*')) {
    const name = element.localName;
    const forbidden =
      /^(script|style|iframe|object|embed|form|input|button|link|meta|base|svg|math|template|video|audio)$/;
    if (forbidden.test(name)) faults.push(name);
    for (const { name: key, value } of element.attributes) {
      if (/^(on|id$|name$|srcset|formaction|action$|background$)/.test(key)) faults.push(name + ' ' + key);
      const isAllowed = /^(https?:|mailto:|tel:|cid:|data:image\\/)/.test(value) || value.startsWith('/v1/');
      if (/^(href|src)$/.test(key) && !isAllowed) faults.push(key + ' ' + value);
    }
  }
  const box = frame.getBoundingClientRect();
  const pane = frame.closest('[class*=scroll]').getBoundingClientRect();
  if (box.left < pane.left || box.right > pane.right) faults.push('the frame is wider than its place');
  for (const region of document.querySelectorAll('nav, #ticket-subject, section[data-mode]')) {
    const { left, top, width, height } = region.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    if (hit !== null && hit.localName === 'iframe') faults.push('the frame lies over ' + region.localName);
  }
  return faults;
})()`;

async function readOne(page: Page, seed: number): Promise<string[]> {
  await page.frameLocator('iframe:not([hidden])').getByText(`mail-${seed}.`, { exact: true }).waitFor();
  const faults = (await page.evaluate(look)) as string[];
  return faults.map((fault) => `seed ${seed}: ${fault}`);
}

test(`of ${mailCount} hostile mails none runs anything, loads anything or leaves its frame`, async () => {
  const { page, asked } = await openPage();
  const owner = await register(page);
  const opened: string[] = [];
  page.context().on('page', (other) => opened.push(other.url()));
  const faults: string[] = [];
  for (let from = firstSeed; from < firstSeed + mailCount; from += atOnce) {
    const seeds = Array.from({ length: Math.min(atOnce, firstSeed + mailCount - from) }, (_, index) => from + index);
    const mails = seeds.map((seed) =>
      mailOf({
        headers: {
          From: `Eve <eve-${seed}@example.org>`,
          Subject: `Hostile ${seed}`,
          'Content-Type': 'text/html; charset=utf-8',
        },
        body: `<p>mail-${seed}.</p>${hostileHtml(seed)}`,
      }),
    );
    await ingest(house, owner, mails);
    for (const seed of seeds) {
      const number = seed - firstSeed + 1;
      if (seed === from) await page.goto(`/t/${number}`);
      // Changes the address as the page itself does, so that the frame gets new content.
      else await page.evaluate(`history.pushState(null, '', '/t/${number}')`);
      faults.push(...(await readOne(page, seed)));
    }
  }
  expect(faults).toEqual([]);
  expect(asked.filter((url) => !url.startsWith(house.url) && !/^(data|blob|about):/.test(url))).toEqual([]);
  expect(opened).toEqual([]);
  expect(new URL(page.url()).host).toBe(new URL(house.url).host);
}, 1_200_000);
