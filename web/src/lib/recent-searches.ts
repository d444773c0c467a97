const prefix = 'kontor.searches.';
const max = 8;

/** The searches of a workspace in this browser, the newest first. */
export function recentSearches(workspaceId: string): string[] {
  const kept: unknown = JSON.parse(localStorage.getItem(prefix + workspaceId) ?? '[]');
  return Array.isArray(kept) ? kept.filter((text) => typeof text === 'string') : [];
}

export function keepSearch(workspaceId: string, text: string): void {
  const others = recentSearches(workspaceId).filter((other) => other !== text);
  localStorage.setItem(prefix + workspaceId, JSON.stringify([text, ...others].slice(0, max)));
}

/** Searches hold names of customers, so they go when the session ends. */
export function forgetSearches(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
}
