import { languageOf } from '../words/words.ts';

/**
 * The locale of the page: the chosen language if there are words in it, else the first such language of the browser,
 * else English. A language without a region is that of the browser's, whose dates and numbers the person knows.
 * @param chosen the person's choice; null means the browser's
 * @param offered the browser's languages, best first
 */
export function localeOf(chosen: string | null, offered: readonly string[]): string {
  const known = offered.filter(isTag);
  const spoken = (chosen === null ? known : [chosen, ...known]).find((tag) => languageOf(tag) !== undefined) ?? 'en';
  const regional = known.find((tag) => languageOf(tag) === languageOf(spoken));
  return spoken.includes('-') ? spoken : (regional ?? spoken);
}

/** Some browsers name the locale of their system, such as `en-US@posix`, which `Intl` refuses. */
function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
