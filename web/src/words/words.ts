import en from './en.json';

export type WordKey = keyof typeof en;

/** The sentence under a key, with `{name}` replaced by the values. */
export function words(key: WordKey, values: Record<string, string | number> = {}): string {
  return en[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
