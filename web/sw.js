/**
 * The service worker of the web inbox. It keeps the page and its files, so that the inbox opens without a network, and
 * shows notifications of the system. It never keeps an answer of the API. `scripts/build-web.js` puts
 * `const shell = { version, files }` in front of this file.
 */
const prefix = 'kontor-shell-';
const current = prefix + shell.version;
/** Pages that do not belong to the web inbox. */
const isElsewhere = /^\/(v1|docs|livez|readyz|metrics)(\/|$)/;

self.addEventListener('install', (event) => {
  // A new version takes over at once: pages always come from the network while there is one.
  event.waitUntil(keepShell().then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(takeOver());
});

async function keepShell() {
  const cache = await caches.open(current);
  // Without the browser's cache, as the page may be of an older version there. File names have a hash.
  await cache.add(new Request('/', { cache: 'reload', credentials: 'omit' }));
  await cache.addAll(shell.files.map((file) => new Request(file, { credentials: 'omit' })));
}

async function takeOver() {
  const kept = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== current);
  // The version before stays: open pages may still load parts of it.
  await Promise.all(kept.slice(0, -1).map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate') {
    if (!isElsewhere.test(pathname)) event.respondWith(pageFor(request));
  } else if (shell.files.includes(pathname) || pathname.startsWith('/assets/')) {
    event.respondWith(fileFor(request));
  }
});

async function pageFor(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match('/', { cacheName: current });
    if (kept === undefined) throw error;
    return kept;
  }
}

async function fileFor(request) {
  return (await caches.match(request)) ?? fetch(request);
}

self.addEventListener('message', (event) => {
  const { data, source } = event;
  if (data.kind === 'show') event.waitUntil(show(data, source.id));
  if (data.kind === 'read') event.waitUntil(closeRead(data.notificationId));
});

/** Shows a notification, unless the person looks at the inbox and sees it there. */
async function show(notification, clientId) {
  const windows = await openPages();
  if (!windows.some(({ focused }) => focused)) await display(notification, clientId);
}

function openPages() {
  return self.clients.matchAll({ type: 'window', includeUncontrolled: true });
}

function display({ title, tag, address, notificationId, workspaceId }, clientId) {
  const data = { address, clientId, notificationId, workspaceId };
  return self.registration.showNotification(title, { tag, icon: '/icon-192.png', badge: '/icon-192.png', data });
}

/** Comes from the push service, also while no page is open. What an open page shows has the same tag. */
self.addEventListener('push', (event) => {
  if (event.data !== null) event.waitUntil(showPushed(event.data.json()));
});

async function showPushed(notification) {
  const inFront = (await openPages()).filter(({ focused }) => focused);
  const workspaces = await Promise.all(inFront.map(workspaceOf));
  if (!workspaces.includes(notification.workspaceId)) await display(notification);
}

/** A browser lets a click open a tab for a moment only. */
const answerMsMax = 500;

/** The workspace that a page shows; undefined if it shows none, or does not answer. */
function workspaceOf(page) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    setTimeout(resolve, answerMsMax);
    page.postMessage({ kind: 'workspace' }, [port2]);
  });
}

/** Takes away a notification that was read elsewhere; null: all of them. */
async function closeRead(notificationId) {
  for (const shown of await self.registration.getNotifications()) {
    if (notificationId === null || shown.data?.notificationId === notificationId) shown.close();
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

/**
 * Opens the address in the tab that asked for the notification. A notification that was pushed opens in a tab of its
 * workspace, or of another one. Without a tab, it opens in a new one.
 */
async function open({ address, clientId, workspaceId }) {
  const tab = clientId === undefined ? await tabFor(workspaceId) : await self.clients.get(clientId);
  if (tab !== undefined) {
    tab.postMessage({ kind: 'open', address, workspaceId });
    return tab.focus();
  }
  const url = new URL(address, self.location.origin);
  if (workspaceId !== undefined) url.searchParams.set('workspace', workspaceId);
  return self.clients.openWindow(url);
}

async function tabFor(workspaceId) {
  const pages = await openPages();
  const workspaces = await Promise.all(pages.map(workspaceOf));
  return pages[workspaces.indexOf(workspaceId)] ?? pages.find((_page, index) => workspaces[index] !== undefined);
}
