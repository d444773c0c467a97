const key = 'kontor.theme';

export const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

/** Light or dark as chosen in this browser, else as the system has it. */
export function chosenTheme(): Theme {
  const chosen = localStorage.getItem(key);
  return themes.find((theme) => theme === chosen) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  showTheme();
}

/** All colours of the page follow from its colour scheme. */
export function showTheme(): void {
  const theme = chosenTheme();
  document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
}
