import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, type TestContext, test } from 'vitest';
import { startService } from '../harness/service.ts';
import { temporaryFolder } from '../harness/service-process.ts';
import { sharedBrowser } from '../pages/browser.ts';
import { password } from '../pages/web-pages.ts';
import { startWriting } from '../pages/writing-pages.ts';

const pictures = join(import.meta.dirname, '../../tmp/newcomer');
/** Time limits for one step and for all on a busy machine. A quiet machine takes about half a minute for all. */
const stepMsMax = 60_000;
const patienceMs = 180_000;

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
  await mkdir(pictures, { recursive: true });
});

/** Starts a service on an empty folder, and opens its address in a browser. */
async function arrive({ onTestFinished }: TestContext): Promise<Page> {
  const { path, remove } = await temporaryFolder();
  const service = await startService(path);
  const context = await browser.newContext({ baseURL: service.url, viewport: { width: 1280, height: 800 } });
  onTestFinished(async () => {
    await context.close();
    service.process.kill('SIGTERM');
    await service.exited;
    await remove();
  });
  const page = await context.newPage();
  page.setDefaultTimeout(stepMsMax);
  return page;
}

/** How a person acts: by pointer or by keys. */
type Hand = {
  name: string;
  signUp(page: Page): Promise<void>;
  takeSamples(page: Page): Promise<void>;
  answer(page: Page, text: string): Promise<void>;
};

const account = ['Ada', 'ada@example.org', password, 'Support'];
const samplesButton = (page: Page) => page.getByRole('button', { name: 'Try sample tickets' });

const mouse: Hand = {
  name: 'mouse',
  signUp: async (page) => {
    const fields = ['Your name', 'Email address', 'Password', 'Workspace name'];
    for (const [at, label] of fields.entries()) {
      await page.getByLabel(label, { exact: true }).click();
      await page.keyboard.insertText(account[at] ?? '');
    }
    await page.getByRole('button', { name: 'Get started' }).click();
  },
  takeSamples: (page) => samplesButton(page).click(),
  answer: async (page, text) => {
    await startWriting(page);
    await page.keyboard.insertText(text);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
  },
};

const keyboard: Hand = {
  name: 'keyboard',
  signUp: async (page) => {
    await page.getByLabel('Your name').and(page.locator(':focus')).waitFor();
    for (const text of account) {
      await page.keyboard.type(text);
      if (text === account.at(-1)) break;
      await page.keyboard.press('Tab');
      // A button beside the field shows the password.
      if (text === password) await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
  },
  takeSamples: async (page) => {
    const button = samplesButton(page);
    await button.waitFor();
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    const wanted = await button.textContent();
    for (let tabs = 0; tabs < 60 && (await focused()) !== wanted; tabs++) await page.keyboard.press('Tab');
    expect(await focused()).toBe(wanted);
    await page.keyboard.press('Enter');
  },
  answer: async (page, text) => {
    await page.keyboard.press('r');
    await page.locator('textarea:focus, [contenteditable=true]:focus').waitFor();
    await page.keyboard.type(text);
    await page.keyboard.press('Control+Enter');
  },
};

// Concurrent, since each mostly waits for the end of an undo time and for the reply.
test.concurrent.for([mouse, keyboard])(
  'a newcomer signs up, takes samples, answers one and reads the reply, by $name alone',
  { timeout: patienceMs },
  async (hand, context) => {
    const page = await arrive(context);
    const picture = (name: string) => page.screenshot({ path: join(pictures, `${hand.name}-${name}.png`) });
    const startedAt = performance.now();
    await page.goto('/');
    await page.getByRole('heading', { name: 'Welcome to Kontor' }).waitFor();
    await picture('1-welcome');
    await hand.signUp(page);
    await samplesButton(page).waitFor();
    await picture('2-inbox');
    await hand.takeSamples(page);
    await page.getByRole('heading', { name: 'My desk lamp flickers' }).waitFor();
    await picture('3-ticket');
    await hand.answer(page, 'Please try another socket.');
    await page.getByText(/^Sending in/).waitFor();
    await picture('4-sent');
    await page
      .getByText(/I tried it just now and it still flickers/)
      .last()
      .waitFor();
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    await picture('5-reply');
    await writeFile(join(pictures, `${hand.name}.txt`), `${seconds} s from the printed address to the reply\n`);
  },
);
