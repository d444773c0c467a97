import { expect, onTestFinished, test } from 'vitest';
import { useHouse } from '../harness/harness.ts';
import { sharedBrowser } from '../pages/browser.ts';

const house = useHouse();
/** Enough for a busy machine to load a script of 3 MB. */
const stepMsMax = 60_000;

test('the API page shows every operation and sends no request to other machines', {
  timeout: 2 * stepMsMax,
}, async () => {
  const page = await (await sharedBrowser()).newPage();
  onTestFinished(() => page.close());
  page.setDefaultTimeout(stepMsMax);
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
