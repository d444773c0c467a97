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
async function show({ title, tag, address, notificationId }, clientId) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (windows.some(({ focused }) => focused)) return;
  const data = { address, clientId, notificationId };
  await self.registration.showNotification(title, { tag, icon: '/icon-192.png', badge: '/icon-192.png', data });
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

/** Opens the address in the tab that asked for the notification, and in a new tab if that is gone. */
async function open({ address, clientId }) {
  const tab = await self.clients.get(clientId);
  if (tab === undefined) return self.clients.openWindow(address);
  tab.postMessage({ kind: 'open', address });
  return tab.focus();
}
