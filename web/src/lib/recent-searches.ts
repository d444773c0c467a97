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
