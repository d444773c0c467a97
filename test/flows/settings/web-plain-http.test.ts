import { expect, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { officeName } from '../../pages/browser.ts';
import { password } from '../../pages/web-pages.ts';
import { rewrite, useWritingPages } from '../../pages/writing-pages.ts';
import { givePassword, makeOwner } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage } = useWritingPages(house);

test('an inbox in an office without TLS answers and closes tickets', async () => {
  const owner = await givePassword(house, await makeOwner(house), password);
  await ingest(house, owner, [mailOf({ headers: { Subject: 'Printer' } })]);
  const { page, complaints } = await openPage();
  await page.goto(`http://${officeName}:${new URL(house.url).port}/`);
  expect(await page.evaluate('isSecureContext')).toBe(false);
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: /Printer/ }).click();
  await rewrite(page, 'It prints again.');
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.keyboard.press('Control+Shift+Enter');
  const ticket = async () => (await owner.call('GET', '/tickets/number/1')).body;
  await expect.poll(ticket).toMatchObject({ status: 'closed', messages: { length: 2 } });
  // Chromium logs that a header applies only to secure pages.
  expect(complaints.filter((text) => !text.includes('Cross-Origin-Opener-Policy'))).toEqual([]);
});
