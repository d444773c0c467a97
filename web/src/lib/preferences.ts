import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export const densities = ['comfortable', 'compact'] as const;
export const afterActions = ['next', 'stay', 'list'] as const;

export type Preferences = {
  theme: (typeof themes)[number];
  /** Whether mails that set colours follow the dark theme, too. */
  darkMail: boolean;
  /** How much of each ticket a list shows. */
  density: (typeof densities)[number];
  /** Which page follows once a ticket was closed, snoozed, archived or merged. */
  afterAction: (typeof afterActions)[number];
  /** People who use speech input, or press keys by accident, turn single keys off (WCAG 2.1.4). */
  singleKeys: boolean;
  /** The keys that the person gave to commands. No keys: none run the command. */
  keys: ChosenKeys[];
  /** How long an answer waits before it leaves, so that its writer can undo it. */
  undoSendSeconds: number;
  /** Null means the browser's time zone. */
  timeZone: string | null;
  /** A BCP 47 tag. Null means the browser's language. */
  locale: string | null;
};
export type Density = Preferences['density'];
/** `keys` is in the syntax of `keyReader`. */
export type ChosenKeys = { command: string; keys: string };

const defaults: Preferences = {
  theme: 'system',
  darkMail: false,
  density: 'comfortable',
  afterAction: 'next',
  singleKeys: true,
  keys: [],
  undoSendSeconds: 10,
  timeZone: null,
  locale: null,
};

const key = 'kontor.preferences';
const listeners = new Set<() => void>();
let copy: { text: string | null; preferences: Preferences } = { text: null, preferences: defaults };

/** A person's choices. The service keeps them; this browser has a copy, which is there at the first paint. */
export function preferences(): Preferences {
  // Unit tests in Node have no localStorage.
  const text = typeof localStorage === 'object' ? localStorage.getItem(key) : null;
  if (text !== copy.text) copy = { text, preferences: { ...defaults, ...parsed(text) } };
  return copy.preferences;
}

/** Changes the copy for all tabs of this browser. Leaves out fields that `Preferences` does not have. */
export function keepCopy(chosen: Partial<Preferences>): void {
  const known = Object.entries(chosen).filter(([name]) => name in defaults);
  const text = JSON.stringify({ ...preferences(), ...Object.fromEntries(known) });
  if (text === copy.text) return;
  localStorage.setItem(key, text);
  for (const listener of listeners) listener();
}

export function followPreferences(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => (event.key === key || event.key === null) && listener();
  listeners.add(listener);
  // The browser sends this event only for changes by other tabs.
  window.addEventListener('storage', onStorage);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', onStorage);
  };
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(followPreferences, preferences);
}

function parsed(text: string | null): Partial<Preferences> {
  try {
    const kept: unknown = JSON.parse(text ?? '{}');
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}
