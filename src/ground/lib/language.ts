import Negotiator from 'negotiator';

/** The languages in which the service writes to people, the default first. Errors and the API stay in English. */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** @returns null when the header is absent or names none of our languages */
export function languageOfHeader(acceptLanguage: string | undefined): Language | null {
  if (acceptLanguage === undefined) return null;
  for (const tag of new Negotiator({ headers: { 'accept-language': acceptLanguage } }).languages()) {
    const language = languages.find((each) => tag.split('-')[0]?.toLowerCase() === each);
    if (language !== undefined) return language;
  }
  return null;
}
