import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { openPage } from '../../test/page.tsx';
import { ticketOf } from '../../test/records.ts';
import { workspaceWith } from '../../test/workspace.ts';

test.each([
  ['/sign-in', page.getByLabelText('Password', { exact: true })],
  ['/', page.getByRole('link', { name: /Wide/ })],
  ['/t/1', page.getByRole('region', { name: 'Reply' })],
])('the page %s is not wider than its window', async (address, sign) => {
  await openPage(address, workspaceWith(ticketOf({ subject: 'Wide' })));
  await expect.element(sign).toBeVisible();
  for (const width of [360, 1280]) {
    await page.viewport(width, 800);
    await expect.poll(() => document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
  }
});
