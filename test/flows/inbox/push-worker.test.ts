import { readFile } from 'node:fs/promises';
import { runInNewContext } from 'node:vm';
import { beforeEach, expect, test } from 'vitest';

type Page = { focused: boolean; workspaceId?: string; told: any[]; isFocusedNow?: boolean };
type Shown = { title: string; tag: string; data: object };

const source = await readFile(new URL('../../../web/sw.js', import.meta.url), 'utf8');
const message = {
  ...{ notificationId: 'n1', workspaceId: 'w1', title: 'New reply in #7 Lamp', tag: 't7', address: '/t/7' },
};
let pages: Page[];
let shown: Shown[];
let opened: string[];
let happen: (type: string, event: object) => Promise<void>;

/** The service worker among pages of a browser, which no headless browser pushes to. */
beforeEach(() => {
  [pages, shown, opened] = [[], [], []];
  const listeners = new Map<string, (event: object) => void>();
  const clientOf = (page: Page) => ({
    focused: page.focused,
    postMessage: (told: any, [port]: { postMessage(message: string): void }[] = []) => {
      if (told.kind !== 'workspace') page.told.push(told);
      else if (page.workspaceId !== undefined) port?.postMessage(page.workspaceId);
    },
    focus: () => {
      page.isFocusedNow = true;
    },
  });
  const self = {
    location: new URL('https://desk.example/sw.js'),
    addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
    clients: {
      matchAll: async () => pages.map(clientOf),
      openWindow: async (url: URL) => opened.push(url.pathname + url.search),
    },
    registration: {
      showNotification: async (title: string, { tag, data }: Omit<Shown, 'title'>) => shown.push({ title, tag, data }),
    },
  };
  const world = { self, URL, MessageChannel, setTimeout, shell: { version: '1', files: [] } };
  runInNewContext(source, world);
  happen = async (type, event) => {
    const waited: Promise<unknown>[] = [];
    listeners.get(type)?.({ ...event, waitUntil: (work: Promise<unknown>) => waited.push(work) });
    await Promise.all(waited);
  };
});

const pageOf = (fields: Partial<Page> = {}): Page => ({ focused: false, told: [], ...fields });
const push = () => happen('push', { data: { json: () => message } });
const click = () => happen('notificationclick', { notification: { close: () => {}, data: shown[0]?.data } });

test.each<[string, Partial<Page>[], number]>([
  ['no page is open', [], 1],
  ['a page is open behind something else', [{ workspaceId: 'w1' }], 1],
  ['the page of another workspace is in front', [{ focused: true, workspaceId: 'w2' }], 1],
  ['a page without a workspace is in front', [{ focused: true }], 1],
  ['a page of its workspace is in front', [{ focused: true, workspaceId: 'w1' }], 0],
])('a message shows its notification if %s', async (_where, open, count) => {
  pages = open.map(pageOf);
  await push();
  expect(shown).toHaveLength(count);
  if (count > 0) expect(shown[0]).toMatchObject({ title: message.title, tag: 't7' });
});

test('a message without content shows nothing', async () => {
  await happen('push', { data: null });
  expect(shown).toEqual([]);
});

test('a click opens the ticket in a tab of its workspace', async () => {
  pages = [pageOf(), pageOf({ workspaceId: 'w2' }), pageOf({ workspaceId: 'w1' })];
  await push();
  await click();
  expect(pages.map(({ told, isFocusedNow = false }) => [told.length, isFocusedNow])).toEqual([
    [0, false],
    [0, false],
    [1, true],
  ]);
  expect(pages[2]?.told).toEqual([{ kind: 'open', address: '/t/7', workspaceId: 'w1' }]);
  expect(opened).toEqual([]);
});

test('or in a tab of another one, which then changes its workspace', async () => {
  pages = [pageOf({ workspaceId: 'w2' })];
  await push();
  await click();
  expect(pages[0]?.told).toEqual([{ kind: 'open', address: '/t/7', workspaceId: 'w1' }]);
});

test('or in a new tab, if none is signed in', async () => {
  pages = [pageOf()];
  await push();
  await click();
  expect([opened, pages[0]?.told]).toEqual([['/t/7?workspace=w1'], []]);
});
