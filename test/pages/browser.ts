import { type Browser, chromium } from 'playwright-core';
import { unpackedChromium } from './unpacked-chromium.ts';

/** A host name as an office gives it. Without TLS a page there is not secure, unlike a page at 127.0.0.1. */
export const officeName = 'inbox.office.example';

/** A real Chromium that resolves only names of this machine, and isolates pages as browsers do. */
export async function openBrowser(environment: NodeJS.ProcessEnv = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: await unpackedChromium(),
    env: { ...process.env, ...environment },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      `--host-resolver-rules=MAP ${officeName} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
    ],
  });
}

let shared: Browser | undefined;

/** The browser of this worker, which its test files use in turn, because a start is slow. Ends with the worker. */
export async function sharedBrowser(): Promise<Browser> {
  if (!shared?.isConnected()) shared = await openBrowser();
  return shared;
}
