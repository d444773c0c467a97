import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Person } from '../factories.ts';
import { useHouse } from '../harness.ts';
import { ingest, mailOf } from '../mails.ts';
import { useWebPages } from '../web-pages.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

/** A page with these tickets, the last one on top. */
async function openInbox(...subjects: string[]) {
  const opened = await openPage();
  const { workspaceId } = await register(opened.page);
  for (const Subject of subjects)
    await ingest(house, { workspaceId } as Person, [mailOf({ headers: { Subject }, body: `About ${Subject}.` })]);
  await rowOf(opened.page, subjects.at(-1) ?? '').waitFor();
  return { ...opened, workspaceId };
}

const rowOf = (page: Page, subject: string) =>
  page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const ticketPane = (page: Page) => page.getByRole('region', { name: 'Ticket', exact: true });

/** From now on requests leave and are not answered. @returns the paths that are asked for, and what lets them go on */
async function holdNetwork(page: Page) {
  const asked: string[] = [];
  const network = Promise.withResolvers<void>();
  await page.route(/\/v1\//, async (route) => {
    asked.push(new URL(route.request().url()).pathname);
    await network.promise;
    // A request that was cancelled meanwhile cannot go on.
    await route.continue().catch(() => undefined);
  });
  return { asked, release: network.resolve };
}

test('the tickets around the open one are shown by j and k without an answer of the service', async () => {
  const subjects = ['One', 'Two', 'Three', 'Four', 'Five'];
  const { page, complaints } = await openInbox(...subjects);
  const shows = async (subject: string) => {
    await heading(page, subject).waitFor();
    await ticketPane(page).getByText(`About ${subject}.`).waitFor();
  };
  const warmed = [3, 4].map((number) => page.waitForResponse(`**/tickets/number/${number}`));
  await page.goto('/t/5');
  await Promise.all(warmed);
  await shows('Five');
  const { asked, release } = await holdNetwork(page);
  await page.keyboard.press('j');
  await shows('Four');
  await page.keyboard.press('j');
  await shows('Three');
  await page.keyboard.press('k');
  await shows('Four');
  const ahead = () => asked.filter((path) => path.endsWith('/tickets/number/2'));
  await expect.poll(ahead).toHaveLength(1);
  // Back at the top, the ticket below is no neighbour any more.
  const cancelled = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/tickets/number/2'));
  await page.keyboard.press('k');
  await shows('Five');
  await cancelled;
  release();
  expect(complaints).toEqual([]);
});
