import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest';
import { openBrowser } from './browser.ts';
import type { Person } from './factories.ts';
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
  let people = 0;
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

  /** Makes an account in the browser; returns who it is for the API. */
  async function register(page: Page): Promise<Pick<Person, 'workspaceId'>> {
    await page.goto('/register');
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('E-mail address').fill(`ada-${++people}@example.org`);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('Name of the workspace').fill('Support');
    const signedIn = page.waitForResponse((response) => response.url().endsWith('/v1/auth/session'));
    await page.getByRole('button', { name: /^(Make an account|Begin)$/ }).click();
    const { workspace } = await (await signedIn).json();
    await page.getByRole('region', { name: 'Tickets', exact: true }).waitFor();
    return { workspaceId: workspace.id };
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

/**
 * @returns what axe finds on the page. It leaves the frames of mail out: no script runs in them, so that axe would wait for its
 * own inside without end.
 */
export async function axeFaults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).exclude('iframe').analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
