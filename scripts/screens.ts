/**
 * Takes pictures of the web inbox into docs/screens: each screen in a light, a dark and a phone's window, with the
 * demo's data. `npm run screens [name…]` takes only the named screens.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from '../test/browser.ts';
import { freePort, runService } from '../test/service-process.ts';
import type { Look, Screen } from './screen.ts';
import { screens } from './screen-list.ts';
import { importMails } from './screen-mails.ts';

const target = join(import.meta.dirname, '../docs/screens');
const windows: Record<Look, BrowserContextOptions> = {
  light: { viewport: { width: 1280, height: 768 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 768 }, colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 720 }, colorScheme: 'light', deviceScaleFactor: 1.5, hasTouch: true },
};

async function takeAll(names: readonly string[]): Promise<void> {
  const chosen = screens.filter(({ name }) => names.length === 0 || names.includes(name));
  const folder = await mkdtemp(join(tmpdir(), 'kontor-screens-'));
  const port = await freePort();
  const demo = runService({ DATA_DIR: join(folder, 'data'), PORT: String(port) }, ['demo/main.ts']);
  const browser = await openBrowser();
  try {
    await demo.seen(/Ctrl-C/);
    await importMails(join(folder, 'data'), folder);
    await mkdir(target, { recursive: true });
    for (const look of ['light', 'dark', 'phone'] as const) {
      const wanted = chosen.filter(({ looks }) => looks === undefined || looks.includes(look));
      await takeIn(browser, { ...windows[look], baseURL: `http://127.0.0.1:${port}` }, look, wanted);
    }
  } finally {
    await browser.close();
    demo.process.kill('SIGTERM');
    await demo.exited;
    await rm(folder, { recursive: true, force: true });
  }
}

async function takeIn(
  browser: Browser,
  options: BrowserContextOptions,
  look: Look,
  chosen: readonly Screen[],
): Promise<void> {
  const strangers = await browser.newContext(options);
  const agent = await signedIn(browser, options, /Maya Okafor/);
  const owner = await signedIn(browser, options, /Ines Albrecht/);
  for (const { name, address, isPublic, isForOwner, prepare } of chosen) {
    const page = await (isPublic ? strangers : isForOwner ? owner : agent).newPage();
    try {
      await page.goto(address);
      await page.waitForLoadState('networkidle').catch(() => undefined);
      await prepare?.(page);
      await takePicture(page, join(target, `${name}-${look}.webp`));
      console.log(`${name}-${look}`);
    } catch (error) {
      console.error(`${name}-${look}: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
    await page.context().setOffline(false);
    await page.close();
  }
}

async function signedIn(browser: Browser, options: BrowserContextOptions, name: RegExp): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  const door = await context.newPage();
  await door.goto('/sign-in');
  await door.getByRole('button', { name }).click();
  await door.waitForURL('**/');
  await door.close();
  return context;
}

/** WebP takes a fifth of a PNG's bytes. Playwright itself does not offer it. */
async function takePicture(page: Page, path: string): Promise<void> {
  // A string, since this file's types lack `window`.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  await writeFile(path, Buffer.from(data, 'base64'));
}

await takeAll(process.argv.slice(2));
