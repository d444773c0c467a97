import { useSyncExternalStore } from 'react';

/** This browser's choice to show notifications of the system. Each browser needs the person's permission anyway. */
const key = 'kontor.desktop';
const listeners = new Set<() => void>();

/** Whether this browser can show notifications of the system. Pages without TLS cannot. */
const canNotify = () => typeof Notification === 'function' && 'serviceWorker' in navigator;

export type DesktopState = 'impossible' | 'denied' | 'on' | 'off';

function state(): DesktopState {
  if (!canNotify()) return 'impossible';
  if (Notification.permission === 'denied') return 'denied';
  return Notification.permission === 'granted' && localStorage.getItem(key) === 'on' ? 'on' : 'off';
}

export function useDesktopState(): DesktopState {
  return useSyncExternalStore(subscribe, state);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // The browser sends this event only for changes by other tabs.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** Turns the notifications on or off; the browser may ask the person for its permission first. */
export async function chooseDesktop(wanted: boolean): Promise<void> {
  if (wanted) await Notification.requestPermission();
  if (wanted && Notification.permission === 'granted') localStorage.setItem(key, 'on');
  else localStorage.removeItem(key);
  for (const listener of listeners) listener();
}
