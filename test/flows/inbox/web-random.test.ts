import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { randomOf as drawsOf } from '../../../emulators/random.ts';
import { useHouse } from '../../harness/harness.ts';
import { password, signIn, useWebPages } from '../../pages/web-pages.ts';
import { givePassword, makeMember, type Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

/** More by hand: `RANDOM_STEPS=300 RANDOM_SEEDS=1,2,3 vitest run test/flows/inbox/web-random.test.ts`. */
const steps = Number(process.env.RANDOM_STEPS ?? 40);
const seeds = (process.env.RANDOM_SEEDS ?? '1').split(',').map(Number);
const roles = ['owner', 'agent', 'viewer'] as const;
/** A click on something that another box covers, or that goes meanwhile, is given up. */
const clickMs = 700;

const keys = [
  ...[
    'j',
    'k',
    'e',
    'z',
    'r',
    'n',
    'x',
    '#',
    '!',
    'b',
    'y',
    'h',
    't',
    'p',
    'a',
    'm',
    'f',
    'u',
    'w',
    'o',
    ';',
    '/',
    '?',
  ],
  ...['c', 'g', 'i', 's', '\\', 'Escape', 'Escape', 'Enter', 'Tab', 'ArrowDown', 'Control+k', 'Control+a', 'Shift+J'],
  ...['Control+Enter', 'Control+Shift+H', 'Shift+R', 'Shift+E'],
];
const texts = ['hello ', '@a', ';;', 'tag:x is:open ', '2d', 'someone@example.net', '<b>x</b>'];
const addresses = [
  ...['/', '/new', '/c', '/drafts', '/undelivered', '/?spam=true', '/?trash=true', '/?search=mail'],
  ...[
    'look',
    'security',
    'members',
    'mailboxes',
    'replies',
    'tags',
    'webhooks',
    'keys',
    'import',
    'audit',
    'blocked',
  ].map((section) => `/settings/${section}`),
];
const clickable =
  'button:visible:enabled, a[href^="/"]:visible, summary:visible, select:visible, ' +
  'input[type=checkbox]:visible, [role=option]:visible';

type Draws = ReturnType<typeof drawsOf>;

async function clickOne(all: Locator, draws: Draws): Promise<string> {
  const count = await all.count();
  if (count === 0) return 'nothing to click';
  const one = all.nth(draws.below(count));
  const text = ((await one.textContent({ timeout: clickMs })) ?? '').slice(0, 40);
  const isChoice = (await one.locator('option').count()) > 0;
  if (isChoice)
    await one.selectOption({ index: draws.below(await one.locator('option').count()) }, { timeout: clickMs });
  else await one.click({ timeout: clickMs });
  return `click ${text}`;
}

/** @returns a description of the step */
async function takeStep(page: Page, draws: Draws): Promise<string> {
  const kind = draws.below(20);
  if (kind < 10) return clickOne(page.locator(clickable), draws);
  if (kind < 17) {
    const key = draws.pick(keys);
    await page.keyboard.press(key);
    return `key ${key}`;
  }
  if (kind < 18) {
    const text = draws.pick(texts);
    await page.keyboard.type(text);
    return `type ${text}`;
  }
  if (kind < 19) {
    const address = draws.pick(addresses);
    await page.goto(address);
    return `go to ${address}`;
  }
  await page.goBack();
  return 'go back';
}

async function openAs(seed: number): Promise<{ page: Page; complaints: string[]; person: Person }> {
  const isPhone = seed % 4 === 0;
  const phone = { viewport: { width: 360, height: 720 }, hasTouch: true, locale: 'de-DE' };
  const { page, complaints } = await openPage(isPhone ? phone : {});
  const owner = await register(page);
  for (let at = 0; at < 8; at++)
    await ingest(house, owner, [mailOf({ headers: { Subject: `Mail ${at}`, From: `c${at % 3}@example.net` } })]);
  const role = roles[(seed - 1) % roles.length] as (typeof roles)[number];
  if (role === 'owner') return { page, complaints, person: owner };
  const person = await givePassword(house, await makeMember(house, owner.workspaceId, role), password);
  await signIn(page, person);
  return { page, complaints, person };
}

// A fault of the page removes the whole page, and only the order of clicks that nobody thought of finds it.
test.each(seeds)('random clicks and keys end no page (seed %i)', { timeout: steps * 2_000 + 60_000 }, async (seed) => {
  const draws = drawsOf(31, seed);
  const { page, complaints, person } = await openAs(seed);
  page.on('dialog', (dialog) => void dialog.dismiss());
  await page.goto('/');
  const done: string[] = [];
  for (let step = 0; step < steps; step++) {
    done.push(await takeStep(page, draws).catch(() => 'not possible'));
    if (/^\/(t\/|v\/|settings|new|c|drafts|undelivered|$)/.test(new URL(page.url()).pathname) === false) {
      await signIn(page, person);
      await page.goto('/');
    }
    expect({ complaints, done: done.slice(-12) }).toMatchObject({ complaints: [] });
    await page.locator('#root > *').first().waitFor();
  }
});
