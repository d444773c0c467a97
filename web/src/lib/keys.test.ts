import { beforeAll, expect, test } from 'vitest';
import { loadWords } from '../words/words.ts';
import { ariaKeys, keyReader, keyWords } from './keys.ts';

beforeAll(() => loadWords('first'));

const off = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false };

/** A key event. `code` is the key's place on the keyboard, which the reader must ignore. */
function press(key: string, held: Partial<typeof off> = {}, timeStamp = 0): KeyboardEvent {
  const modifiers = { ...off, ...held };
  return {
    key,
    code: 'KeyX',
    timeStamp,
    ...modifiers,
    getModifierState: (name: string) =>
      ({ Shift: modifiers.shiftKey, Control: modifiers.ctrlKey, Alt: modifiers.altKey, Meta: modifiers.metaKey })[
        name
      ] ?? false,
  } as KeyboardEvent;
}

const bindings = [
  ['close', 'e'],
  ['reopen', 'Shift+E'],
  ['mine', 'g m'],
  ['merge', 'm'],
  ['pending', 's p'],
  ['priority', 'p'],
  ['previousMessage', '['],
  ['help', '?'],
  ['palette', '$mod+k'],
] as const;

test('a key runs its command, with and without Shift', () => {
  const read = keyReader(bindings);
  expect(read(press('e'))).toBe('close');
  expect(read(press('E', { shiftKey: true }))).toBe('reopen');
  expect(read(press('e', { altKey: true }))).toBeUndefined();
  expect(read(press('k', { ctrlKey: true }))).toBe('palette');
});

test('the second key of a sequence does not run its own command', () => {
  const read = keyReader(bindings);
  expect(read(press('g'))).toBeUndefined();
  expect(read(press('m'))).toBe('mine');
  expect(read(press('m'))).toBe('merge');
  expect(read(press('s'))).toBeUndefined();
  expect(read(press('Shift', { shiftKey: true }))).toBeUndefined();
  expect(read(press('p'))).toBe('pending');
});

test('an unfinished sequence is forgotten after a second, and by any other key', () => {
  const read = keyReader(bindings);
  const pressAt = (timeStamp: number, key: string) => read(press(key, {}, timeStamp));
  pressAt(0, 'g');
  expect(pressAt(1_001, 'm')).toBe('merge');
  pressAt(2_000, 'g');
  pressAt(2_100, 'e');
  expect(pressAt(2_200, 'm')).toBe('merge');
});

test('a sign runs its command on every keyboard layout, whatever modifiers make it', () => {
  const read = keyReader(bindings);
  expect(read(press('['))).toBe('previousMessage');
  expect(read(press('[', { ctrlKey: true, altKey: true }))).toBe('previousMessage');
  expect(read(press('?', { shiftKey: true }))).toBe('help');
  expect(read(press('[', { ctrlKey: true }))).toBeUndefined();
});

test('keys are shown as they are written on the keyboard', () => {
  expect(keyWords('$mod+k', true)).toBe('⌘K');
  expect(keyWords('$mod+k', false)).toBe('Ctrl K');
  expect(keyWords('Shift+R')).toBe('⇧R');
  expect(keyWords('g m')).toBe('g m');
  expect(keyWords('ArrowDown')).toBe('↓');
  expect(ariaKeys(['g m'])).toBeUndefined();
  expect(ariaKeys(['$mod+k', 'j'], false)).toBe('Control+k j');
});
