const key = 'kontor.list-width';

/** The width of the list of tickets that was chosen in this browser, in pixels; 0 before anybody chose. */
export function listWidth(): number {
  return Number(localStorage.getItem(key)) || 0;
}

/** Runs before the first paint, or the list would jump. */
export function applyListWidth(): void {
  const width = listWidth();
  if (width > 0) document.documentElement.style.setProperty('--list-width', `${width}px`);
}

export function keepListWidth(pixels: number): void {
  localStorage.setItem(key, String(pixels));
  applyListWidth();
}
