import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** A name of this machine as an office gives it: a page there is not secure without TLS, where one at 127.0.0.1 is. */
export const officeName = 'inbox.office.example';

/** A real Chromium that knows no name but those of this machine, with the security of its pages as browsers have it. */
export async function openBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      `--host-resolver-rules=MAP ${officeName} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
    ],
  });
}
