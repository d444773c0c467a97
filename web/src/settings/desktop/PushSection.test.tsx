import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { type Answers, askedFor } from '../../../test/fake-api.ts';
import { show } from '../../../test/page.tsx';
import { workspaceWith } from '../../../test/workspace.ts';
import { renewPush } from '../../api/push.ts';
import { loadWords } from '../../words/words.ts';
import { PushSection } from './PushSection.tsx';

const publicKey = 'BAUG';
const tick = page.getByRole('checkbox', { name: 'Notify me in this browser, even when Kontor is closed' });

afterEach(() => {
  localStorage.removeItem('kontor.push');
  vi.restoreAllMocks();
  Reflect.deleteProperty(navigator, 'serviceWorker');
});

type Browser = {
  permission: NotificationPermission;
  answer: NotificationPermission;
  hasKey?: string;
  isFirstVisit?: boolean;
};

beforeAll(() => loadWords('settings'));

/** A browser that pushes, which a headless one does not. */
function browserWith({ permission, answer, hasKey, isFirstVisit = false }: Browser) {
  const browser = { asked: 0, held: null as object | null, refuses: false };
  const subscription = (key: string) => ({
    endpoint: `https://push.example/${key}`,
    options: { applicationServerKey: Uint8Array.from(atob(key), (char) => char.charCodeAt(0)).buffer },
    toJSON: () => ({ endpoint: `https://push.example/${key}`, keys: { p256dh: 'P', auth: 'A' } }),
    unsubscribe: async () => {
      browser.held = null;
      return true;
    },
  });
  if (hasKey !== undefined) browser.held = subscription(hasKey);
  const pushManager = {
    getSubscription: async () => browser.held,
    subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
      if (browser.refuses) throw new DOMException('Registration failed - push service error', 'AbortError');
      browser.held = subscription(applicationServerKey);
      return browser.held;
    },
  };
  const worker = new EventTarget();
  let registered: { pushManager: object } | undefined = isFirstVisit ? undefined : { pushManager };
  const ready = Promise.withResolvers<{ pushManager: object }>();
  const serviceWorker = Object.assign(worker, {
    getRegistration: async () => registered,
    register: async () => {
      registered = { pushManager };
      ready.resolve(registered);
    },
    ready: ready.promise,
  });
  Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: serviceWorker });
  let allowed = permission;
  vi.spyOn(Notification, 'permission', 'get').mockImplementation(() => allowed);
  vi.spyOn(Notification, 'requestPermission').mockImplementation(async () => {
    browser.asked += 1;
    allowed = answer;
    return answer;
  });
  return browser;
}

/** What the fake service keeps. */
function serviceWith(endpoint: string | null = null, key: string | null = publicKey): Answers {
  let kept = endpoint;
  return {
    ...workspaceWith(),
    readPushSubscription: () => ({ publicKey: key, endpoint: kept }),
    keepPushSubscription: ({ body }) => {
      kept = body.endpoint;
      return undefined;
    },
    dropPushSubscription: () => {
      kept = null;
      return undefined;
    },
  };
}

test('a click asks for the permission and subscribes, and another one ends it', async () => {
  const browser = browserWith({ permission: 'default', answer: 'granted' });
  await show(<PushSection />, serviceWith());
  await expect.element(tick).not.toBeChecked();
  expect(browser.asked).toBe(0);
  await tick.click();
  await expect.element(tick).toBeChecked();
  const endpoint = `https://push.example/${publicKey}`;
  expect(askedFor('keepPushSubscription').map(({ body }) => body)).toEqual([
    { endpoint, keys: { p256dh: 'P', auth: 'A' } },
  ]);
  await tick.click();
  await expect.element(tick).not.toBeChecked();
  expect([browser.held, askedFor('dropPushSubscription').length]).toEqual([null, 1]);
});

test('a refusal is explained', async () => {
  browserWith({ permission: 'default', answer: 'denied' });
  await show(<PushSection />, serviceWith());
  await tick.click();
  await expect.element(page.getByText('The browser refuses them for this page.')).toBeVisible();
  await expect.element(tick).toBeDisabled();
  expect(askedFor('keepPushSubscription')).toEqual([]);
});

test('a subscription for another key is off, and made anew', async () => {
  const browser = browserWith({ permission: 'granted', answer: 'granted', hasKey: 'AAAA' });
  await show(<PushSection />, serviceWith('https://push.example/AAAA'));
  await expect.element(tick).not.toBeChecked();
  await tick.click();
  await expect.element(tick).toBeChecked();
  expect(browser.held).toMatchObject({ endpoint: `https://push.example/${publicKey}` });
});

test('where the operator has switched it off, nothing is offered', async () => {
  browserWith({ permission: 'default', answer: 'granted' });
  await show(<PushSection />, serviceWith(null, null));
  await expect.poll(() => askedFor('readPushSubscription')).toHaveLength(1);
  await expect.element(tick).not.toBeInTheDocument();
});

test('a first visit has a worker once this page asks for one', async () => {
  browserWith({ permission: 'default', answer: 'granted', isFirstVisit: true });
  await show(<PushSection />, serviceWith());
  await expect.element(tick).toBeEnabled();
});

test('what goes wrong in the browser is said in words of the page', async () => {
  const browser = browserWith({ permission: 'granted', answer: 'granted' });
  browser.refuses = true;
  await show(<PushSection />, serviceWith());
  await tick.click();
  await expect.element(page.getByText(/^The browser or its push service did not set it up/)).toBeVisible();
});

test('a subscription is renewed for the person who chose it, and ended for the next one', async () => {
  const browser = browserWith({ permission: 'granted', answer: 'granted', hasKey: publicKey });
  await show(<PushSection />, serviceWith());
  await tick.click();
  await expect.poll(() => askedFor('keepPushSubscription')).toHaveLength(1);
  await renewPush();
  expect(browser.held).not.toBeNull();
  localStorage.setItem('kontor.push', 'the id of a former person');
  await renewPush();
  expect([browser.held, askedFor('keepPushSubscription').length]).toEqual([null, 1]);
});
