import { api, dataOf } from './client.ts';

/** The subscription of this browser to notifications that come while no page is open (Push API). */

/** Pages without TLS have no service worker; a browser on a phone may want the page on its home screen first. */
const canPush = () => typeof Notification === 'function' && 'serviceWorker' in navigator && 'PushManager' in window;

/** `elsewhere`: the operator has switched it off. */
export type PushState = 'impossible' | 'elsewhere' | 'denied' | 'on' | 'off';

const readOurs = () => dataOf(api.GET('/v1/me/push-subscription'));

/** A page in development has no worker, so this must not wait for one. */
async function manager(): Promise<PushManager | undefined> {
  return canPush() ? (await navigator.serviceWorker.getRegistration())?.pushManager : undefined;
}

export async function readPush(): Promise<PushState> {
  const pushes = await manager();
  if (pushes === undefined) return 'impossible';
  const [{ publicKey, endpoint }, held] = await Promise.all([readOurs(), pushes.getSubscription()]);
  if (publicKey === null) return 'elsewhere';
  if (Notification.permission === 'denied') return 'denied';
  return held !== null && held.endpoint === endpoint && isFor(held, publicKey) ? 'on' : 'off';
}

/** Subscribes; the browser may ask the person for its permission first. Only a click may call it. */
export async function turnPushOn(): Promise<void> {
  if ((await Notification.requestPermission()) === 'granted') await subscribe();
}

/** Ends the subscription, in the browser at once and also without a network. */
export async function turnPushOff(): Promise<void> {
  await forgetPush();
  await dataOf(api.DELETE('/v1/me/push-subscription'));
}

/** Ends the subscription in this browser alone. A sign-out ends that of the service with the session. */
export async function forgetPush(): Promise<void> {
  const held = await (await manager())?.getSubscription();
  await held?.unsubscribe();
}

/** Tells the service of the subscription that this browser has, if the service lost it or has another key by now. */
export async function renewPush(): Promise<void> {
  const held = await (await manager())?.getSubscription();
  if (held == null || Notification.permission !== 'granted') return;
  const { publicKey, endpoint } = await readOurs();
  if (publicKey !== null && (held.endpoint !== endpoint || !isFor(held, publicKey))) await subscribe();
}

async function subscribe(): Promise<void> {
  const [pushes, { publicKey }] = await Promise.all([manager(), readOurs()]);
  if (pushes === undefined || publicKey === null) return;
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
