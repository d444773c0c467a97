/** How many notifications are unread, as a badge shows it; undefined for none. */
export function unreadWords(count = 0): string | undefined {
  if (count === 0) return undefined;
  return count > 99 ? '99+' : String(count);
}
