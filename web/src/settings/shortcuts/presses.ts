import type { WordKey } from '../../words/words.ts';

type Pressed = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'altKey' | 'metaKey' | 'isComposing'>;

/** A press in the syntax of `keyReader`, or why it cannot run the command; undefined for a modifier alone. */
export type Press = { press: string } | { refused: WordKey } | undefined;

const onMac = typeof navigator === 'object' && /Mac|iP(hone|ad|od)/.test(navigator.platform);

const modifiers = ['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Process', 'Unidentified'];
/** Browsers, or people who write, need these letters together with Ctrl or ⌘. */
const takenLetters = /^[abcdfhijlnopqrstuvwxyz]$/;
const takenShiftedLetters = /^[nqrtw]$/;

/** @param isEverywhere the command also runs while a person types, where a key without Ctrl or ⌘ is text */
export function readPress(event: Pressed, isEverywhere: boolean, isMac = onMac): Press {
  const { key, shiftKey, altKey } = event;
  if (event.isComposing || modifiers.includes(key)) return undefined;
  const isLetter = /^[a-z]$/i.test(key);
  const isSign = key.length === 1 && !isLetter && key !== ' ';
  // Some keyboards need Alt or AltGr for a sign, and some systems report AltGr as Ctrl and Alt together.
  const isPlainSign = isSign && altKey;
  const isChord = (isMac ? event.metaKey : event.ctrlKey) && !isPlainSign;
  if ((isMac ? event.ctrlKey : event.metaKey) || (altKey && !isPlainSign)) return { refused: 'shortcuts.modifier' };
  if (isChord) return readChord(key, shiftKey, isSign);
  if (!isLetter && !isSign) return { refused: 'shortcuts.other' };
  if (isEverywhere) return { refused: 'shortcuts.typing' };
  return { press: isLetter && shiftKey ? `Shift+${key.toUpperCase()}` : key.toLowerCase() };
}

function readChord(key: string, isShifted: boolean, isSign: boolean): Press {
  const letter = key.toLowerCase();
  const isTaken = isSign ? !isShifted && key !== '\\' : (isShifted ? takenShiftedLetters : takenLetters).test(letter);
  if (isTaken || (key.length > 1 && key !== 'Enter') || key === ' ') return { refused: 'shortcuts.browser' };
  if (!isShifted) return { press: `$mod+${key.length === 1 ? letter : key}` };
  return { press: `$mod+Shift+${key.length === 1 ? key.toUpperCase() : key}` };
}

/** The keys after another press: two single keys make a sequence, and a third begins anew. */
export function withPress(keys: string, press: string): string {
  const isSingle = (one: string) => one !== '' && !one.includes(' ') && !one.startsWith('$mod');
  return isSingle(keys) && isSingle(press) ? `${keys} ${press}` : press;
}
