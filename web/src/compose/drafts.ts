/** Unsent text, kept in this browser at each key, so that a tab that dies loses none of it. */
const prefix = 'kontor.draft ';

/** A draft is its writer's alone: another person at the same browser reads none of it. */
export function draftKey(userId: string, ticketId: string, mode: 'answer' | 'note'): string {
  return `${userId} ${ticketId} ${mode}`;
}

/** For a person who signs out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
}

export function readDraft(key: string): string {
  return localStorage.getItem(prefix + key) ?? '';
}

export function keepDraft(key: string, text: string): void {
  if (text === '') localStorage.removeItem(prefix + key);
  else localStorage.setItem(prefix + key, text);
}
