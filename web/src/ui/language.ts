import { useSyncExternalStore } from 'react';
import { localeOf } from '../lib/locale.ts';
import { followPreferences, preferences } from '../lib/preferences.ts';
import { followLanguage, languageOf, speak, spokenLocale } from '../words/words.ts';
import { sayMissing } from './missing.ts';

/** Loads the first words in the person's language, and follows their choice. */
export async function speakAsChosen(): Promise<void> {
  const follow = () => void (chosenLocale() !== spokenLocale() && speakIn(chosenLocale()).catch(sayMissing));
  followPreferences(follow);
  window.addEventListener('languagechange', follow);
  await speakIn(chosenLocale());
}

function chosenLocale(): string {
  return localeOf(preferences().locale, navigator.languages);
}

async function speakIn(locale: string): Promise<void> {
  await speak(locale);
  document.documentElement.lang = languageOf(spokenLocale()) ?? 'en';
}

/** The locale of the words. A component that calls it draws again when the language changes. */
export function useLocale(): string {
  return useSyncExternalStore(followLanguage, spokenLocale);
}
