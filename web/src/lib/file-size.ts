import { spokenLocale } from '../words/words.ts';

const step = 1_024;

/** A size as people read it, in the units of file managers and mail services: their limit of 25 MB is 25 here too. */
export function fileSize(bytes: number): string {
  if (bytes < step) return `${bytes} B`;
  if (bytes < step ** 2) return `${Math.ceil(bytes / step)} kB`;
  const number = new Intl.NumberFormat(spokenLocale(), { maximumFractionDigits: 1 });
  if (bytes < step ** 3) return `${number.format(bytes / step ** 2)} MB`;
  return `${number.format(bytes / step ** 3)} GB`;
}
