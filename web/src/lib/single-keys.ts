const key = 'kontor.singleKeys';

/** People who steer by voice, or rest a hand on the keyboard, turn the single keys off (WCAG 2.1.4). */
export function areSingleKeysOn(): boolean {
  return localStorage.getItem(key) !== 'off';
}

export function turnSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(key);
  else localStorage.setItem(key, 'off');
}
