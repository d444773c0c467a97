import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Person } from '../factories.ts';
import { useHouse } from '../harness.ts';
import { ingest, mailOf } from '../mails.ts';
import { useWebPages } from '../web-pages.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);

const writeIn = (workspaceId: string, Subject: string) =>
  ingest(house, { workspaceId } as Person, [mailOf({ headers: { Subject } })]);
const row = (page: Page, subject: string) => page.getByRole('link', { name: new RegExp(subject) });

test('the tabs of a browser share one stream, and the next tab takes it over where it was left', async () => {
  const { page: first, asked } = await openPage();
  const { workspaceId } = await register(first);
  const second = await first.context().newPage();
  const askedBySecond: string[] = [];
  second.on('request', (request) => askedBySecond.push(request.url()));
  await second.goto('/');
  await second.getByText('No tickets here.').waitFor();
  await writeIn(workspaceId, 'For both');
  await row(first, 'For both').waitFor();
  await row(second, 'For both').waitFor();
  const isStream = (url: string) => url.includes('/events/stream');
  expect([asked.filter(isStream).length, askedBySecond.filter(isStream).length]).toEqual([1, 0]);
  await first.close();
  await writeIn(workspaceId, 'Between two tabs');
  await row(second, 'Between two tabs').waitFor();
  expect(askedBySecond.filter(isStream)).toEqual([expect.stringContaining('lastEventId=')]);
});

test('a stream that is refused is said quietly, opened again, and what was missed is there', async () => {
  const { page } = await openPage();
  const stream = /\/events\/stream/;
  await page.route(stream, (route) => route.fulfill({ status: 503 }));
  const { workspaceId } = await register(page);
  await page.getByText(/Changes of others do not arrive/).waitFor();
  await page.unroute(stream);
  await page.getByText(/Changes of others do not arrive/).waitFor({ state: 'detached' });
  await writeIn(workspaceId, 'Here again');
  await row(page, 'Here again').waitFor();
});

test('a change of a colleague moves the row without the list being asked again', async () => {
  const { page, asked } = await openPage();
  const { workspaceId } = await register(page);
  await writeIn(workspaceId, 'One');
  await writeIn(workspaceId, 'Two');
  await row(page, 'Two').waitFor();
  await row(page, 'One').waitFor();
  const [ticket] = await (
    await page.request.get(`/v1/workspaces/${workspaceId}/tickets`, { headers: { 'x-workspace-id': workspaceId } })
  ).json();
  const lists = () => asked.filter((url) => /\/tickets\?/.test(url)).length;
  const before = lists();
  await page.request.post(`/v1/workspaces/${workspaceId}/tickets/${ticket.id}/status`, {
    headers: { 'x-workspace-id': workspaceId, origin: house.url },
    data: { toStatus: 'closed' },
  });
  await row(page, ticket.subject).waitFor({ state: 'detached' });
  expect(lists()).toBe(before);
});
