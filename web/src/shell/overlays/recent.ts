const key = 'kontor.recent';
const keptMax = 12;

/** The last choices in the palette, the newest first. This browser keeps them. */
export function recentChoices(): string[] {
  const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
  return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
}

export function noteChoice(id: string): void {
  const others = recentChoices().filter((other) => other !== id);
  localStorage.setItem(key, JSON.stringify([id, ...others].slice(0, keptMax)));
}
