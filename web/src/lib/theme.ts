import { followPreferences, preferences } from './preferences.ts';

/** Sets the page's colour scheme from the person's choice. All colours follow from the scheme. */
export function followTheme(): void {
  followPreferences(showTheme);
  showTheme();
}

function showTheme(): void {
  const { theme } = preferences();
  document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
}
