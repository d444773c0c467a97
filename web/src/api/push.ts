import { keptFor } from '../lib/kept-for.ts';
import { api, dataOf } from './client.ts';
import { readyWorker } from './service-worker.ts';

/** The subscription of this browser to notifications that come while no page is open (Push API). */

/** Pages without TLS have no service worker; a browser on a phone may want the page on its home screen first. */
const canPush = () => typeof Notification === 'function' && 'serviceWorker' in navigator && 'PushManager' in window;

/** `elsewhere`: the operator has switched it off. `unready`: the browser has no service worker for the page yet. */
export type PushState = 'impossible' | 'elsewhere' | 'unready' | 'denied' | 'on' | 'off';

/** Has the id of the person who chose it, so that it is renewed for nobody else. */
const key = 'kontor.push';

const readOurs = () => dataOf(api.GET('/v1/me/push-subscription'));

/** The subscription of this browser, if it has one. Does not wait for a service worker. */
async function readHeld(): Promise<PushSubscription | null> {
  if (!canPush()) return null;
  return (await (await navigator.serviceWorker.getRegistration())?.pushManager.getSubscription()) ?? null;
}

export async function readPush(): Promise<PushState> {
  if (!canPush()) return 'impossible';
  const { publicKey, endpoint } = await readOurs();
  if (publicKey === null) return 'elsewhere';
  if (Notification.permission === 'denied') return 'denied';
  const worker = await readyWorker();
  if (worker === undefined) return 'unready';
  const held = await worker.pushManager.getSubscription();
  return held !== null && held.endpoint === endpoint && isFor(held, publicKey) ? 'on' : 'off';
}

/** Subscribes; the browser may ask the person for its permission first. Only a click may call it. */
export async function turnPushOn(): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') return;
  localStorage.setItem(key, String(keptFor()));
  await subscribe();
}

/** Ends the subscription, in the browser at once and also without a network. */
export async function turnPushOff(): Promise<void> {
  localStorage.removeItem(key);
  await forgetPush();
  await dataOf(api.DELETE('/v1/me/push-subscription'));
}

/** Ends the subscription in this browser alone. A sign-out ends that of the service with the session. */
export async function forgetPush(): Promise<void> {
  await (await readHeld())?.unsubscribe();
}

/**
 * Tells the service of the subscription that this browser has, if the service lost it or has another key by now. Ends
 * one that a former person left behind.
 */
export async function renewPush(): Promise<void> {
  const held = await readHeld();
  if (held === null || Notification.permission !== 'granted') return;
  if (localStorage.getItem(key) !== String(keptFor())) {
    await held.unsubscribe();
    return;
  }
  const { publicKey, endpoint } = await readOurs();
  if (publicKey !== null && (held.endpoint !== endpoint || !isFor(held, publicKey))) await subscribe();
}

async function subscribe(): Promise<void> {
  const [worker, { publicKey }] = await Promise.all([readyWorker(), readOurs()]);
  if (worker === undefined || publicKey === null) return;
  const pushes = worker.pushManager;
  const held = await pushes.getSubscription();
  // A browser refuses another key as long as it has a subscription.
  if (held !== null && !isFor(held, publicKey)) await held.unsubscribe();
  const made = await pushes.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const { endpoint, keys } = made.toJSON();
  if (endpoint === undefined || keys?.p256dh === undefined || keys.auth === undefined) return;
  const body = { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } };
  await dataOf(api.PUT('/v1/me/push-subscription', { body }));
}

function isFor({ options: { applicationServerKey } }: PushSubscription, publicKey: string): boolean {
  if (applicationServerKey === null) return false;
  const text = btoa(String.fromCharCode(...new Uint8Array(applicationServerKey)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') === publicKey;
}
