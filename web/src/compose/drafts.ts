/** Unsent text, kept in this browser at each key, so that a tab that dies loses none of it. */
const prefix = 'kontor.draft ';

export function readDraft(key: string): string {
  return localStorage.getItem(prefix + key) ?? '';
}

export function keepDraft(key: string, text: string): void {
  if (text === '') localStorage.removeItem(prefix + key);
  else localStorage.setItem(prefix + key, text);
}
