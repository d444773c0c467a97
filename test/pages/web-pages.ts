import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest';
import { sql } from '../../src/ground/database/sql.ts';
import type { House } from '../harness/harness.ts';
import { givePassword, makeOwner, type Person } from '../worlds/factories.ts';
import { sharedBrowser } from './browser.ts';

/** Enough for a busy machine: one step, and a test of many steps. */
const stepMsMax = 40_000;
const testMsMax = 180_000;

export const password = 'correct horse battery staple';

/** Slows down the pages' processor by this factor, as on a slow machine. */
const cpuSlowdown = Number(process.env.CPU_SLOWDOWN ?? 1);

async function slowDown(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
}

type Options = NonNullable<Parameters<Browser['newContext']>[0]>;

/** Pages for the tests of a file. Each page has its own context, and records its complaints and requests. */
export function useWebPages(house: House) {
  let browser: Browser;
  /** Contexts that no test uses now. They keep the files of the web inbox, compiled: half the cost of a page. */
  const idle: BrowserContext[] = [];
  vi.setConfig({ testTimeout: testMsMax });
  beforeAll(async () => {
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await Promise.all(idle.map((context) => context.close()));
    vi.resetConfig();
  });

  async function openContext(options: Options): Promise<BrowserContext> {
    const isPlain = Object.keys(options).length === 0;
    // The service worker would answer for files that a test withholds; its own test allows it.
    const context =
      (isPlain ? idle.pop() : undefined) ??
      (await browser.newContext({ baseURL: house.url, serviceWorkers: 'block', ...options }));
    // Below the test's own timeout, so that the error names the step.
    context.setDefaultTimeout(stepMsMax);
    onTestFinished(async () => {
      if (isPlain && (await forgetAll(context, house.url))) idle.push(context);
      else await context.close();
    });
    return context;
  }

  /** A size alone needs no context of its own: another page of the context has the usual size. */
  async function openPage(options: Options = {}): Promise<{ page: Page; complaints: string[]; asked: string[] }> {
    const { viewport, ...rest } = options;
    const isSizeAlone = viewport != null && Object.keys(rest).length === 0;
    const context = await openContext(isSizeAlone ? {} : options);
    if (cpuSlowdown > 1) context.on('page', (page) => void slowDown(page));
    const page = await context.newPage();
    if (isSizeAlone) await page.setViewportSize(viewport);
    // Chromium activates the first listener only after the next keys, and a slow machine would miss their chooser.
    page.on('filechooser', () => undefined);
    const complaints: string[] = [];
    const asked: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      // The browser logs each refused request, and the tests expect refused requests.
      if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
        complaints.push(message.text());
    });
    page.on('request', (request) => asked.push(request.url()));
    return { page, complaints, asked };
  }

  /** Ada, the owner of a new workspace, signed in and at her list. Other tests cover the screens on the way. */
  async function register(page: Page): Promise<Person> {
    const person = await givePassword(house, await makeOwner(house), password);
    // An answer can be undone for longer than a step of a test may take.
    const preferences = JSON.stringify({ undoSendSeconds: 60 });
    await house.app.db.tx((tx) =>
      tx.run(sql`update users set name = 'Ada', preferences = ${preferences}::jsonb where id = ${person.userId}`),
    );
    await signIn(page, person);
    await page.goto('/');
    await page.getByRole('region', { name: 'Tickets', exact: true }).waitFor();
    return person;
  }

  /** The same person at another computer, with only the session. */
  async function elsewhere(page: Page): Promise<Page> {
    const context = await openContext({});
    await context.addCookies(await page.context().cookies());
    return context.newPage();
  }

  return { openPage, register, elsewhere };
}

/**
 * Makes a context as new but for its cache.
 * @returns whether that was possible: not after a test that closed the context
 */
async function forgetAll(context: BrowserContext, origin: string): Promise<boolean> {
  try {
    await context.setOffline(false);
    await context.unrouteAll();
    await Promise.all(context.pages().map((page) => page.close()));
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    await devTools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await page.close();
    await context.clearCookies();
    await context.clearPermissions();
    return true;
  } catch {
    await context.close();
    return false;
  }
}

/** A ticket of the list, by its subject or other words. */
export const rowOf = (page: Page, subject: string): Locator =>
  page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });

export const isFocused = (place: Locator): Promise<boolean> =>
  place.evaluate((element: any) => element.matches(':focus'));

/** Chooses an action of the menu that the person's own face opens. */
export async function chooseOwn(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /: your account$/ }).click();
  await page.getByRole('menuitem', { name: new RegExp(`^${name}`) }).click();
}

/** Chooses in a menu that shows the value it has. */
export async function chooseIn(page: Page, label: string, name: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${label}: `) }).click();
  await page.getByRole('menuitemradio', { name, exact: true }).click();
}

/** The query of an address. */
export const searchOf = (page: Page): string => new URL(page.url()).search;

/**
 * Presses the keys of a sequence as fast as a person. On a slow page, awaiting each key would take too long for the
 * sequence.
 */
export async function pressSequence(page: Page, ...keys: string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

/** Waits until smooth scrolling has come to rest, and frames no longer change. */
export async function steady(page: Page, read: () => Promise<number>): Promise<number> {
  const frames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
  let last = await read();
  const hasMoved = async () => {
    const before = last;
    await page.evaluate(frames);
    await page.evaluate(frames);
    last = await read();
    return last !== before;
  };
  await expect.poll(hasMoved).toBe(false);
  return last;
}

/** Gives the browser a session, as the sign-in page does. */
export async function signIn(page: Page, { email }: Person): Promise<void> {
  const data = { provider: 'local', transport: 'cookie', email, password };
  const answer = await page.request.post('/v1/auth/session', { data, headers: { 'sec-fetch-site': 'same-origin' } });
  expect(answer.status()).toBe(200);
}

/**
 * @param rules only these; all that axe has, if missing
 * @returns what axe finds on the page. Leaves out the frames of mail: no script runs in them, so axe would wait there
 * forever.
 */
export async function axeFaults(page: Page, rules?: string[]): Promise<string[]> {
  // A picker that still fades in has too little contrast.
  await page.evaluate(`Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime)).map(({ finished }) => finished))`);
  // Once in each document, as its source is long.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], iframes: false, ...(rules === undefined ? {} : { runOnly: rules }) };
  return page.evaluate<string[]>(`axe.run({ exclude: ['iframe'] }, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
}
