const key = 'kontor.recent';
const keptMax = 12;

/** What was last chosen in the palette, the newest first; kept in this browser. */
export function recentChoices(): string[] {
  const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
  return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
}

export function noteChoice(id: string): void {
  const others = recentChoices().filter((other) => other !== id);
  localStorage.setItem(key, JSON.stringify([id, ...others].slice(0, keptMax)));
}
