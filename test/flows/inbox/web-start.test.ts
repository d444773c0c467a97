import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sql } from '../../../src/ground/database/sql.ts';
import { useHouse } from '../../harness/harness.ts';
import { useWebPages } from '../../pages/web-pages.ts';
import type { Person } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register, elsewhere } = useWebPages(house);

const row = (page: Page, subject: string) =>
  page.getByRole('region', { name: 'Tickets', exact: true }).getByRole('link', { name: new RegExp(subject) });

const writeIn = (workspaceId: string, Subject: string) =>
  ingest(house, { workspaceId } as Person, [mailOf({ headers: { Subject } })]);

/** Records the page's requests, without the workspace's id and without those after the first screen. */
function startRequests(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const later = searchParams.has('delivery') || searchParams.get('tags') === 'sample' || searchParams.has('sort');
    if (pathname.startsWith('/v1/') && request.method() === 'GET' && !later)
      asked.push(pathname.replace(/^\/v1\/(workspaces\/[0-9a-f-]{36}\/)?/, ''));
  });
  return asked;
}

/** Waits until the stream is open and the page has noticed: then it reads who views which ticket. */
async function untilLive(asked: readonly string[]): Promise<void> {
  const isLive = () => asked.slice(asked.indexOf('events/stream')).includes('presence');
  await expect.poll(() => asked.includes('events/stream') && isLive()).toBe(true);
}

/**
 * After the first screen the page also requests tickets in advance, and presence once or twice. Once the stream is
 * open, it reads shared data again, as that may have changed.
 */
const isFirst = (path: string, at: number, all: string[]) =>
  !/^(presence|config|tickets\/number\/1|tickets\/.*\/events)$/.test(path) &&
  !(path === 'start' && at > all.indexOf('events/stream'));

test('a page begins with one request for shared data, and one each for list and ticket', async () => {
  const { page } = await openPage();
  const { workspaceId } = await register(page);
  await writeIn(workspaceId, 'Printer');
  await row(page, 'Printer').waitFor();
  // Makes the events old, since the stream repeats recent events.
  await house.app.db.tx((tx) =>
    tx.run(sql`
      update activity set id = overlay(id::text placing '01900000' from 1)::uuid where workspace_id = ${workspaceId}`),
  );

  const list = await elsewhere(page);
  const first = startRequests(list);
  await list.goto('/');
  await row(list, 'Printer').waitFor();
  await untilLive(first);
  // Only the very first visit does not know its workspace.
  expect(first.filter(isFirst).sort()).toEqual(['events/stream', 'me', 'start', 'tickets']);

  await expect.poll(() => list.evaluate('localStorage.getItem("kontor.workspace")')).toBe(workspaceId);
  const again = startRequests(list);
  await list.reload();
  await row(list, 'Printer').waitFor();
  await untilLive(again);
  expect(again.filter(isFirst).sort()).toEqual(['events/stream', 'start', 'tickets']);

  const ticket = await elsewhere(page);
  await ticket.addInitScript(`localStorage.setItem('kontor.workspace', '${workspaceId}')`);
  const atTicket = startRequests(ticket);
  await ticket.goto('/t/1');
  await ticket.getByRole('article').first().waitFor();
  await untilLive(atTicket);
  const shared = ['me', 'me/preferences', 'members', 'views', 'counts', 'mailboxes', 'notifications/unread-count'];
  expect(atTicket.slice(0, 3).sort()).toEqual(['start', 'tickets', 'tickets/number/1']);
  const untilStream = atTicket.slice(0, atTicket.indexOf('events/stream'));
  expect(untilStream.filter((path) => shared.includes(path))).toEqual([]);
  expect(untilStream.filter((path) => ['start', 'tickets', 'tickets/number/1'].includes(path))).toHaveLength(3);
});

test('a view made between the first answer and the open stream is shown', async () => {
  const { page } = await openPage({ viewport: { width: 1440, height: 800 } });
  const { workspaceId } = await register(page);
  await page.getByText('No tickets here.').waitFor();
  const made = Promise.withResolvers<void>();
  const isAsked = Promise.withResolvers<void>();
  await page.route(/\/events\/stream/, async (route) => {
    isAsked.resolve();
    await made.promise;
    await route.continue();
  });
  await page.reload();
  await isAsked.promise;
  const headers = { 'x-workspace-id': workspaceId, origin: house.url };
  const data = { name: 'Urgent ones', query: { priority: 'urgent' }, isShared: false };
  const answer = await page.request.post(`/v1/workspaces/${workspaceId}/views`, { headers, data });
  expect(answer.status()).toBe(201);
  expect(await page.getByRole('link', { name: 'Urgent ones' }).count()).toBe(0);
  made.resolve();
  await page.getByRole('link', { name: 'Urgent ones' }).waitFor();
});

test('a page keeps its start data when it cannot read them again without a network', async () => {
  const { page, complaints } = await openPage();
  await register(page);
  const release = Promise.withResolvers<void>();
  await page.route(/\/events\/stream/, async (route) => {
    await release.promise;
    await route.continue();
  });
  await page.reload();
  await page.getByText('No tickets here.').waitFor();
  await page.route(/\/start$/, (route) => route.abort());
  const lost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/start'));
  // From here on queries wait for the network by themselves.
  await page.evaluate('window.dispatchEvent(new Event("offline"))');
  release.resolve();
  await lost;
  // The browser reports an unhandled rejection after the tasks of this moment.
  await page.evaluate('new Promise((done) => setTimeout(done))');
  expect(complaints).toEqual([]);
});

test('the stream reports a ticket that arrives after the list but before the position', async () => {
  const { page } = await openPage();
  const { workspaceId } = await register(page);
  await writeIn(workspaceId, 'Before');
  await row(page, 'Before').waitFor();
  const written = Promise.withResolvers<void>();
  await page.route(/\/start$/, async (route) => {
    await written.promise;
    await route.continue();
  });
  const asked = startRequests(page);
  const listed = page.waitForResponse((response) => /\/tickets\?status=open/.test(response.url()));
  await page.reload();
  await (await listed).finished();
  await writeIn(workspaceId, 'Between');
  written.resolve();
  await row(page, 'Between').waitFor();
  expect(asked.filter((path) => path === 'tickets')).toHaveLength(1);
});

test('a page of a workspace that the person left leads to another workspace', async () => {
  const { page } = await openPage();
  const { workspaceId } = await register(page);
  await writeIn(workspaceId, 'Kettle');
  await row(page, 'Kettle').waitFor();
  const other = await elsewhere(page);
  await other.addInitScript(`localStorage.setItem('kontor.workspace', '0190a000-0000-7000-8000-000000000000')`);
  await other.goto('/');
  await row(other, 'Kettle').waitFor();
});

test('the picker offers tags of tickets outside the shown lists', async () => {
  const { page } = await openPage();
  const { workspaceId } = await register(page);
  const headers = { 'x-workspace-id': workspaceId, origin: house.url };
  const at = `/v1/workspaces/${workspaceId}/tickets`;
  const data = { subject: 'Old', body: 'b', tags: ['invoice'] };
  const { id } = await (await page.request.post(at, { headers, data })).json();
  await page.request.post(`${at}/${id}/status`, { headers, data: { toStatus: 'closed' } });
  await writeIn(workspaceId, 'New');
  const other = await elsewhere(page);
  await other.goto('/t/2');
  await other.getByRole('article').first().waitFor();
  await other.keyboard.press('t');
  await other.getByRole('option', { name: 'invoice' }).waitFor();
});
