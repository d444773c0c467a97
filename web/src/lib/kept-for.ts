const prefix = 'kontor.';
const key = 'kontor.person';

/** The id of the person whose pages, drafts and choices this browser keeps. */
export function keptFor(): string | null {
  return localStorage.getItem(key);
}

export function keepFor(userId: string): void {
  localStorage.setItem(key, userId);
}

/** Deletes drafts, searches and choices. Searches hold names of customers. */
export function wipeChoices(): void {
  for (const storage of [localStorage, sessionStorage])
    for (const name of Object.keys(storage)) if (name.startsWith(prefix)) storage.removeItem(name);
}
