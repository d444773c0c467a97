import { expect, test } from 'vitest';
import { commands } from '../../commands.ts';
import { readPress, withPress } from './presses.ts';

const off = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, isComposing: false };
const read = (key: string, held: Partial<typeof off> = {}, isEverywhere = false, isMac = false) =>
  readPress({ key, ...off, ...held }, isEverywhere, isMac);

test.each([
  ['q', {}, 'q'],
  ['Q', { shiftKey: true }, 'Shift+Q'],
  ['?', { shiftKey: true }, '?'],
  ['[', { ctrlKey: true, altKey: true }, '['],
  ['Ä', { shiftKey: true }, 'ä'],
  ['k', { ctrlKey: true }, '$mod+k'],
  ['Enter', { ctrlKey: true }, '$mod+Enter'],
  ['Y', { ctrlKey: true, shiftKey: true }, '$mod+Shift+Y'],
])('%s with %j is %s', (key, held, press) => {
  expect(read(key, held)).toEqual({ press });
});

test('on a Mac the chords use ⌘', () => {
  expect(read('k', { metaKey: true }, false, true)).toEqual({ press: '$mod+k' });
  expect(read('k', { ctrlKey: true }, false, true)).toEqual({ refused: 'shortcuts.modifier' });
});

test.each([
  ['t', { ctrlKey: true }, 'shortcuts.browser'],
  ['c', { ctrlKey: true }, 'shortcuts.browser'],
  ['W', { ctrlKey: true, shiftKey: true }, 'shortcuts.browser'],
  ['Tab', {}, 'shortcuts.other'],
  [' ', {}, 'shortcuts.other'],
  ['F5', {}, 'shortcuts.other'],
  ['q', { altKey: true }, 'shortcuts.modifier'],
  ['q', { metaKey: true }, 'shortcuts.modifier'],
])('%s with %j is refused: %s', (key, held, refused) => {
  expect(read(key, held)).toEqual({ refused });
});

test('a command that runs while a person types needs a chord', () => {
  expect(read('q', {}, true)).toEqual({ refused: 'shortcuts.typing' });
  expect(read('Enter', { ctrlKey: true, shiftKey: true }, true)).toEqual({ press: '$mod+Shift+Enter' });
});

test('modifiers and keys of an input method record nothing', () => {
  expect([read('Shift', { shiftKey: true }), read('Dead'), read('a', { isComposing: true })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('two single keys are a sequence, and another press begins anew', () => {
  expect(withPress('', 'g')).toBe('g');
  expect(withPress('g', 'Shift+I')).toBe('g Shift+I');
  expect(withPress('g i', 'q')).toBe('q');
  expect(withPress('g', '$mod+k')).toBe('$mod+k');
});

test('every key that a command has by itself could also be recorded, but for select all and print', () => {
  const single = Object.values(commands).flatMap(({ keys }) => keys.filter((key) => !/ |Arrow|Escape/.test(key)));
  const refused = single.filter((keys) => {
    const held = { ctrlKey: keys.includes('$mod'), shiftKey: keys.includes('Shift') };
    const read = readPress({ ...off, key: keys.replace(/^(\$mod\+)?(Shift\+)?/, ''), ...held }, false, false);
    return read === undefined || 'refused' in read || read.press !== keys;
  });
  expect(refused).toEqual(['$mod+a', '$mod+p']);
});
