import { followPreferences, preferences } from './preferences.ts';

/** All colours of the page follow from its colour scheme, and that from what the person has chosen. */
export function followTheme(): void {
  followPreferences(showTheme);
  showTheme();
}

function showTheme(): void {
  const { theme } = preferences();
  document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
}
