import en from './en.json';
import type later from './en-later.json';
import type settings from './en-settings.json';

export type WordKey = keyof typeof en | keyof typeof later | keyof typeof settings;

const sentences: Partial<Record<WordKey, string>> = { ...en };

/** The sentence under a key, with `{name}` replaced by the values. */
export function words(key: WordKey, values: Record<string, string | number> = {}): string {
  return (sentences[key] ?? key).replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Loads the words of the later chunks. Each of these chunks waits for them before it draws. */
export async function loadLaterWords(): Promise<void> {
  Object.assign(sentences, (await import('./en-later.json')).default);
}

/** Loads the words of the settings, which wait for them. */
export async function loadSettingsWords(): Promise<void> {
  Object.assign(sentences, (await import('./en-settings.json')).default);
}
