/**
 * Takes pictures of the web inbox into docs/screens: each screen in a light, a dark and a phone's window, some in
 * German or from right to left, with the demo's data; then the gallery of components. `npm run screens [name…]` takes
 * only the named ones.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { freePort, runService } from '../test/harness/service-process.ts';
import { openBrowser } from '../test/pages/browser.ts';
import { openGallery, showGallery } from '../test/pages/gallery.ts';
import { type Look, looksByDefault, type Screen } from './screen.ts';
import { layFonts } from './screen-fonts.ts';
import { screens } from './screen-list.ts';
import { importMails } from './screen-mails.ts';

const target = join(import.meta.dirname, '../docs/screens');
const wide = {
  viewport: { width: 1280, height: 768 },
  locale: 'en-GB',
  timezoneId: 'Europe/Berlin',
  reducedMotion: 'reduce',
} as const;
const windows: Record<Look, BrowserContextOptions> = {
  light: { ...wide, colorScheme: 'light' },
  dark: { ...wide, colorScheme: 'dark' },
  german: { ...wide, colorScheme: 'light', locale: 'de-DE' },
  rtl: { ...wide, colorScheme: 'light' },
  phone: {
    ...wide,
    viewport: { width: 360, height: 720 },
    colorScheme: 'light',
    deviceScaleFactor: 1.5,
    hasTouch: true,
  },
};
/** At 200 % a window has half the pixels. */
const galleries: Record<string, { query: string; options: BrowserContextOptions }> = {
  light: { query: '', options: windows.light },
  dark: { query: '', options: windows.dark },
  rtl: { query: '?dir=rtl', options: windows.light },
  zoom: { query: '', options: { ...windows.light, viewport: { width: 640, height: 384 } } },
};

const turnRound = "addEventListener('DOMContentLoaded', () => document.documentElement.setAttribute('dir', 'rtl'))";

async function takeAll(names: readonly string[]): Promise<void> {
  const chosen = screens.filter(({ name }) => names.length === 0 || names.includes(name));
  const folder = await mkdtemp(join(tmpdir(), 'kontor-screens-'));
  await mkdir(target, { recursive: true });
  const browser = await openBrowser({ FONTCONFIG_FILE: await layFonts(folder) });
  try {
    if (chosen.length > 0) await takeScreens(browser, chosen, folder);
    if (names.length === 0 || names.includes('gallery')) await takeGallery(browser, join(folder, 'gallery'));
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function takeScreens(browser: Browser, chosen: readonly Screen[], folder: string): Promise<void> {
  const dataDir = join(folder, 'data');
  const port = await freePort();
  const demo = runService({ DATA_DIR: dataDir, PORT: String(port) }, ['demo/main.ts']);
  try {
    await demo.seen(/Ctrl-C/);
    await importMails(dataDir, folder);
    for (const look of ['light', 'dark', 'phone', 'german', 'rtl'] as const) {
      const wanted = chosen.filter(({ looks = looksByDefault }) => looks.includes(look));
      if (wanted.length === 0) continue;
      await takeIn(browser, { ...windows[look], baseURL: `http://127.0.0.1:${port}` }, look, wanted);
    }
  } finally {
    demo.process.kill('SIGTERM');
    await demo.exited;
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
  if (look === 'rtl') for (const context of [strangers, agent, owner]) await context.addInitScript(turnRound);
  for (const { name, address, isPublic, isForOwner, prepare } of chosen) {
    const page = await (isPublic ? strangers : isForOwner ? owner : agent).newPage();
    try {
      await page.goto(address);
      await page.waitForLoadState('networkidle').catch(() => undefined);
      await prepare?.(page);
      await takePicture(page, `${name}-${look}`);
    } catch (error) {
      console.error(`${name}-${look}: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
    await page.context().setOffline(false);
    await page.close();
  }
  for (const context of [strangers, agent, owner]) await context.close();
}

async function takeGallery(browser: Browser, folder: string): Promise<void> {
  const gallery = await openGallery(folder);
  try {
    for (const [look, { query, options }] of Object.entries(galleries)) {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      await showGallery(page, `${gallery.url}${query}`);
      await takePicture(page, `gallery-${look}`, true);
      await context.close();
    }
  } finally {
    await gallery.close();
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
async function takePicture(page: Page, name: string, isWhole = false): Promise<void> {
  // No row looks hovered by the click that led here.
  await page.mouse.move(0, 0);
  // Strings, since this file's types lack `window`.
  await page.evaluate('document.fonts.ready');
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 60,
    captureBeyondViewport: isWhole,
    ...(isWhole && { clip: { ...(await wholeOf(page)), x: 0, y: 0, scale: 1 } }),
  });
  await writeFile(join(target, `${name}.webp`), Buffer.from(data, 'base64'));
  console.log(name);
}

function wholeOf(page: Page): Promise<{ width: number; height: number }> {
  return page.evaluate('({ width: innerWidth, height: document.documentElement.scrollHeight })');
}

await takeAll(process.argv.slice(2));
