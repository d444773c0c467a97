import { versionState } from './version.ts';

type Policy = { createScriptURL(address: string): string };
type TrustedTypes = { createPolicy(name: string, rules: Policy): Policy };

const address = '/sw.js';
const { trustedTypes } = globalThis as unknown as { trustedTypes?: TrustedTypes };
/** The browser takes each policy once, and every sign-in registers the worker again. */
const trusted = trustedTypes?.createPolicy('kontor-worker', { createScriptURL: () => address });

/** Registers the service worker, which keeps the page for times without a network. Pages without TLS have none. */
export async function keepPageOffline(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  await navigator.serviceWorker
    .register(trusted?.createScriptURL('') ?? address, { updateViaCache: 'none' })
    // The page works without it; a private window may refuse it.
    .catch(() => undefined);
}

/** The first visit fetches the whole page for the worker. A page in development has no worker. */
const readyMsMax = 10_000;

/** The registration of the service worker once it works, or undefined if that does not happen in time. */
export async function readyWorker(): Promise<ServiceWorkerRegistration | undefined> {
  void keepPageOffline();
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, readyMsMax));
  return Promise.race([navigator.serviceWorker.ready, late]);
}

/** A page may stay open for days, and looks for a new version otherwise only when it is opened. */
export function followVersion(): () => void {
  if (!('serviceWorker' in navigator)) return () => undefined;
  const update = async () => void (await navigator.serviceWorker.getRegistration())?.update();
  return versionState.subscribe(() => void update());
}

/** Sends a message to the service worker, if any. */
export async function tellWorker(message: object): Promise<void> {
  (await navigator.serviceWorker.ready).active?.postMessage(message);
}
