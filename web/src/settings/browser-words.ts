import { words } from '../words/words.ts';

/** The most specific name first: the user agent of Edge or Opera also contains Chrome and Safari. */
const browsers = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/(Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const systems = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'Mac'],
  [/Linux/, 'Linux'],
] as const;

/** The common names of a browser and its system. */
export function browserWords(userAgent: string | null): string {
  if (userAgent === null) return words('security.unknownBrowser');
  const named = [browsers, systems].map((names) => names.find(([pattern]) => pattern.test(userAgent))?.[1]);
  const known = named.filter((name) => name !== undefined);
  return known.length === 0 ? userAgent.slice(0, 60) : known.join(', ');
}
