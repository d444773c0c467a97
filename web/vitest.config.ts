import { readFileSync } from 'node:fs';
import { playwright } from '@vitest/browser-playwright';
import type { UserConfig } from 'vite';
import { defineConfig, mergeConfig } from 'vitest/config';
import { unpackedChromium } from '../test/pages/unpacked-chromium.ts';
import type { Operation } from './test/operations.ts';
import viteConfig from './vite.config.ts';

type Document = { paths: Record<string, Record<string, { operationId: string }>> };
const { paths }: Document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
const operations: Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId: id }]) => ({ id, method: method.toUpperCase(), path })),
);

const page: UserConfig = viteConfig({ mode: 'test', command: 'serve' });

/** As for the other tests: a busy machine is no failure. */
const stepMsMax = 90_000;

/** Tests of components: in the Chromium of the other tests, on a fake API (`test/fake-api.ts`). */
export default mergeConfig(
  page,
  defineConfig({
    test: {
      name: 'web',
      include: ['src/**/*.test.tsx'],
      setupFiles: ['test/setup.ts'],
      provide: { operations },
      // Beside the other tests: Vitest runs projects at once only where they have the same number of workers, and
      // refuses two numbers that differ.
      maxWorkers: 4,
      testTimeout: 180_000,
      expect: { poll: { timeout: stepMsMax } },
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        // As the locators of Playwright.
        locators: { exact: false },
        viewport: { width: 1280, height: 800 },
        provider: playwright({
          actionTimeout: stepMsMax,
          launchOptions: { executablePath: await unpackedChromium(), args: ['--no-sandbox', '--disable-gpu'] },
        }),
        instances: [{ browser: 'chromium' }],
      },
    },
    // A package that is found in the middle of a run has the page loaded anew, and its test fails.
    optimizeDeps: { entries: ['src/main.tsx'], include: ['axe-core', 'react-dom/client'] },
  }),
);
