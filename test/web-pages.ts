import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest';
import { openBrowser } from './browser.ts';
import { givePassword, makeOwner, type Person } from './factories.ts';
import type { House } from './harness.ts';

/** As long as a busy machine may take for one step, and for a test of many. */
const stepMsMax = 20_000;
const testMsMax = 180_000;

export const password = 'correct horse battery staple';

/** How many times slower the processor seems to pages: it shows what a test, or a person, meets on a slow machine. */
const cpuSlowdown = Number(process.env.CPU_SLOWDOWN ?? 1);

async function slowDown(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
}

type Options = NonNullable<Parameters<Browser['newContext']>[0]>;

/** A browser for the tests of a file. Each page has a context of its own, and tells what it complained about and asked for. */
export function useWebPages(house: House) {
  let browser: Browser;
  vi.setConfig({ testTimeout: testMsMax });
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    vi.resetConfig();
  });

  async function openPage(options: Options = {}): Promise<{ page: Page; complaints: string[]; asked: string[] }> {
    const context = await browser.newContext({ baseURL: house.url, ...options });
    // Sooner than the test itself, so that the step is named.
    context.setDefaultTimeout(stepMsMax);
    onTestFinished(() => context.close());
    if (cpuSlowdown > 1) context.on('page', (page) => void slowDown(page));
    const page = await context.newPage();
    // Chromium takes up the first listener after the keys that are pressed next: on a slow machine their chooser would be missed.
    page.on('filechooser', () => undefined);
    const complaints: string[] = [];
    const asked: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      // A refused request is said by the browser, and its test expects it.
      if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
        complaints.push(message.text());
    });
    page.on('request', (request) => asked.push(request.url()));
    return { page, complaints, asked };
  }

  /** Ada, the owner of a new workspace, signed in and at its list. The screens on the way there have tests of their own. */
  async function register(page: Page): Promise<Person> {
    const person = await givePassword(house, await makeOwner(house), password);
    await person.call('PATCH', '/v1/me', { name: 'Ada' });
    await signIn(page, person);
    await page.goto('/');
    await page.getByRole('region', { name: 'Tickets', exact: true }).waitFor();
    return person;
  }

  /** The same person at another machine, with nothing but the session. */
  async function elsewhere(page: Page): Promise<Page> {
    const { cookies } = await page.context().storageState();
    const context = await browser.newContext({ baseURL: house.url, storageState: { cookies, origins: [] } });
    context.setDefaultTimeout(stepMsMax);
    onTestFinished(() => context.close());
    return context.newPage();
  }

  return { openPage, register, elsewhere };
}

export const isFocused = (place: Locator): Promise<boolean> =>
  place.evaluate((element: any) => element.matches(':focus'));

/** What an address has behind its path. */
export const searchOf = (page: Page): string => new URL(page.url()).search;

/** Keys of a sequence, as fast as a person presses them: a slow page would take up one by one too late. */
export async function pressSequence(page: Page, ...keys: string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

/** Scrolling is smooth: it comes to rest by itself, after which frames show nothing new. */
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

/** Gives the browser a session, as its sign-in page does. */
export async function signIn(page: Page, { email }: Person): Promise<void> {
  const data = { provider: 'local', transport: 'cookie', email, password };
  const answer = await page.request.post('/v1/auth/session', { data, headers: { 'sec-fetch-site': 'same-origin' } });
  expect(answer.status()).toBe(200);
}

/**
 * @returns what axe finds on the page. It leaves the frames of mail out: no script runs in them, so that axe would wait for its
 * own inside without end.
 */
export async function axeFaults(page: Page): Promise<string[]> {
  // Otherwise it opens a further page each time, to put together what it found in several frames.
  const axe = new AxeBuilder({ page })
    .exclude('iframe')
    .setLegacyMode()
    .options({ resultTypes: ['violations'] });
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
