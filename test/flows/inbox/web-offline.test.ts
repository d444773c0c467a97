import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { useHouse } from '../../harness/harness.ts';
import { chooseOwn, useWebPages } from '../../pages/web-pages.ts';
import { makeMember } from '../../worlds/factories.ts';
import { ingest, mailOf } from '../../worlds/mails.ts';

const house = useHouse();
const { openPage, register } = useWebPages(house);
const built = join(import.meta.dirname, '../../../web/dist');

/** The paths that the page's caches hold. A string, as the types of this file lack `caches`. */
const kept = (page: Page) =>
  page.evaluate(`(async () => {
    const requests = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
    return requests.flat().map(({ url }) => new URL(url).pathname);
  })()`) as Promise<string[]>;
/** The tickets that the page has kept, as text. */
const keptPages = `new Promise((resolve) => {
  const opened = indexedDB.open('kontor');
  opened.onsuccess = () => {
    const read = opened.result.transaction('kept').objectStore('kept').get('pages');
    read.onsuccess = () => { opened.result.close(); resolve(JSON.stringify(read.result) ?? ''); };
  };
})`;
const cacheNames = (page: Page) => page.evaluate('caches.keys()') as Promise<string[]>;
/** Whether the newest worker has taken over. */
const atRest = `navigator.serviceWorker.getRegistration().then(({ active, waiting, installing }) =>
  active?.state === 'activated' && waiting === null && installing === null)`;
const workers = (page: Page) =>
  page.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.length)') as Promise<number>;

test('the inbox opens without a network, keeps no answer of the API, and a sign-out leaves nothing', async () => {
  const { page, complaints } = await openPage({ serviceWorkers: 'allow' });
  const owner = await register(page);
  await ingest(house, owner, [mailOf({ headers: { Subject: 'Brakes' }, body: 'They squeak.' })]);
  await page.getByRole('link', { name: /Brakes/ }).click();
  await page.getByRole('article').getByText('They squeak.').first().waitFor();
  await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
  // The row of the list holds the beginning of the mail too, and is kept before.
  await expect.poll(() => page.evaluate(keptPages)).toContain('"messages":[{');
  const files = await kept(page);
  expect(files).toContain('/');
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((path) => !/^\/($|assets\/|[\w-]+\.(svg|png|webmanifest)$)/.test(path))).toEqual([]);
  await page.context().setOffline(true);
  await page.goto('/t/1');
  await page.getByRole('article').getByText('They squeak.').first().waitFor();
  await page.getByText(/cannot be reached/).waitFor();
  await page.context().setOffline(false);
  await page.getByText(/cannot be reached/).waitFor({ state: 'detached' });
  await chooseOwn(page, 'Sign out');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await expect.poll(async () => [await workers(page), await kept(page)]).toEqual([0, []]);
  expect(complaints).toEqual([]);
});

test('a new version is shown at the next visit, and the parts of the version before stay for open pages', async () => {
  const site = await openSite();
  const { page } = await openPage({ baseURL: site.url, serviceWorkers: 'allow' });
  const workOf = async () => {
    await page.evaluate(`navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' })
      .then((registration) => registration.update())`);
    await expect.poll(() => cacheNames(page)).toContain(`kontor-shell-${site.version}`);
    await expect.poll(() => page.evaluate(atRest)).toBe(true);
  };
  await site.publish('one');
  await page.goto(`${site.url}/plain`);
  await workOf();
  await site.publish('two');
  await page.goto(site.url);
  // The worker is still of the first version, and does not stand in the way.
  expect(await page.content()).toContain('version two');
  await page.goto(`${site.url}/plain`);
  await workOf();
  expect(await cacheNames(page)).toEqual(['kontor-shell-one', 'kontor-shell-two']);
  await site.publish('three');
  await workOf();
  await expect.poll(() => cacheNames(page)).toEqual(['kontor-shell-two', 'kontor-shell-three']);
  await page.context().setOffline(true);
  await page.goto(site.url);
  expect(await page.content()).toContain('version three');
});

/** The system's part: headless Chromium refuses every permission and shows nothing. */
const pageOfSystem = `
  let permission = localStorage.getItem('asked') === null ? 'default' : 'granted';
  Object.defineProperty(Notification, 'permission', { get: () => permission });
  Notification.requestPermission = async () => {
    localStorage.setItem('asked', 'yes');
    permission = 'granted';
    return permission;
  };`;
const workerOfSystem = `
  self.shown = [];
  self.isSeen = false;
  self.registration.showNotification = async (title, { data, tag }) => {
    self.shown = self.shown.filter((other) => other.tag !== tag);
    const close = () => { self.shown = self.shown.filter((other) => other.data !== data); };
    self.shown.push({ title, data, tag, close });
  };
  self.registration.getNotifications = async () => self.shown;
  self.looks = 0;
  self.clients.matchAll = async () => {
    self.looks++;
    return [{ focused: self.isSeen }];
  };`;

test('a desktop notification is shown once per browser, away from the inbox; its click opens the ticket', async () => {
  const { page } = await openPage({ serviceWorkers: 'allow' });
  await page.context().addInitScript(pageOfSystem);
  const owner = await register(page);
  const colleague = await makeMember(house, owner.workspaceId, 'agent');
  const worker = await workerOf(page.context());
  await worker.evaluate(workerOfSystem);
  const second = await page.context().newPage();
  await second.goto('/');
  const shown = () => worker.evaluate('self.shown.map(({ title }) => title)');
  const assign = async (subject: string, unread: number) => {
    const { id } = (await colleague.call('POST', '/tickets', { subject, body: 'b' })).body;
    await colleague.call('PATCH', `/tickets/${id}`, { assigneeId: owner.userId });
    for (const at of [page, second]) await expect.poll(() => at.title()).toContain(`(${unread}) `);
  };
  await page.goto('/settings/notifications');
  await assign('Not asked for', 1);
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('/icon-unread.svg');
  expect(await page.evaluate('Notification.permission')).toBe('default');
  await owner.call('POST', '/notifications/read-all');
  await expect.poll(() => page.title()).not.toMatch(/^\(/);
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe('/icon.svg');
  await page.getByRole('checkbox', { name: 'Show notifications of the system in this browser' }).check();
  await assign('Saddle', 1);
  await expect.poll(shown).toEqual([expect.stringContaining('#2 Saddle')]);
  // A member who wants no notifications of this type gets none here either.
  const none = { types: { assignment: { inApp: false, email: false } } };
  await owner.call('PATCH', '/v1/me/notification-preferences', none);
  await assign('Unwanted', 1);
  await owner.call('PATCH', '/v1/me/notification-preferences', {
    types: { assignment: { inApp: true, email: false } },
  });
  await worker.evaluate('self.isSeen = true; self.looks = 0');
  await assign('Seen already', 2);
  await expect.poll(() => worker.evaluate('self.looks')).toBe(1);
  await worker.evaluate('self.isSeen = false');
  await assign('Pedals', 3);
  await expect.poll(shown).toEqual([expect.stringContaining('#2 Saddle'), expect.stringContaining('#5 Pedals')]);
  await worker.evaluate(`{
    const event = new ExtendableEvent('notificationclick');
    event.notification = self.shown[0];
    self.dispatchEvent(event);
  }`);
  const opened = async () => {
    const [here = 0, there = 0] = await Promise.all(
      [page, second].map((at) => at.getByRole('heading', { name: 'Saddle' }).count()),
    );
    return here + there;
  };
  await expect.poll(opened).toBe(1);
  await owner.call('POST', '/notifications/read-all');
  await expect.poll(shown).toEqual([]);
});

async function workerOf(context: BrowserContext) {
  return context.serviceWorkers()[0] ?? context.waitForEvent('serviceworker');
}

/** A copy of the built page on a server of its own, which can publish new versions of it. */
async function openSite() {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-site-'));
  await cp(built, folder, { recursive: true });
  const worker = await readFile(join(folder, 'sw.js'), 'utf8');
  const types: Record<string, string> = { '.js': 'text/javascript', '.html': 'text/html', '.svg': 'image/svg+xml' };
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '');
    const send = (body: Buffer | string) => {
      response.setHeader('cache-control', 'no-cache');
      response.setHeader('content-type', types[extname(path)] ?? 'text/html').end(body);
    };
    readFile(join(folder, path)).then(send, () => send('<p>plain'));
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });
  const { port } = server.address() as { port: number };
  const site = {
    url: `http://127.0.0.1:${port}`,
    version: '',
    publish: async (version: string) => {
      site.version = version;
      await writeFile(join(folder, 'index.html'), `<title>x</title><p>version ${version}`);
      await writeFile(join(folder, 'sw.js'), worker.replace(/"version":"\w+"/, `"version":"${version}"`));
    },
  };
  return site;
}
