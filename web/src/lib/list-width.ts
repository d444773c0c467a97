const key = 'kontor.list-width';
const usualWidth = 360;

/** The width of the list of tickets that was chosen in this browser, in pixels. */
export function listWidth(): number {
  return Number(localStorage.getItem(key)) || usualWidth;
}

/** Runs before the first paint, or the list would jump. */
export function applyListWidth(): void {
  document.documentElement.style.setProperty('--list-width', `${listWidth()}px`);
}

export function keepListWidth(pixels: number): void {
  localStorage.setItem(key, String(pixels));
  applyListWidth();
}
