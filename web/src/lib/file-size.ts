import { spokenLocale } from '../words/words.ts';

/** A size as people read it. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} kB`;
  const number = new Intl.NumberFormat(spokenLocale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  if (bytes < 1_000_000_000) return `${number.format(bytes / 1_000_000)} MB`;
  return `${number.format(bytes / 1_000_000_000)} GB`;
}
