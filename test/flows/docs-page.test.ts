import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useHouse } from '../harness.ts';

const house = useHouse();
let browser: Browser;

beforeAll(async () => {
  browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    // The browser resolves only the name of this machine.
    args: [...chromium.args, '--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
});
afterAll(async () => {
  await browser?.close();
});

test('the API page shows every operation and sends no request to other machines', async () => {
  const page = await browser.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));

  await page.goto(`${house.url}/docs/`);
  await page.getByRole('heading', { name: 'Kontor', level: 1 }).waitFor();
  expect(page.url()).toBe(`${house.url}/docs/`);
  await page.getByText('operations', { exact: true }).first().click();
  await page.getByRole('heading', { name: 'Whether the process answers' }).waitFor();

  expect(asked.filter((url) => !url.startsWith(house.url) && !/^(data|blob):/.test(url))).toEqual([]);
  expect(complaints).toEqual([]);
});
