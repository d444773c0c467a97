import { expect, test } from 'vitest';
import { type CommandId, keysOf } from '../../commands.ts';
import type { ChosenKeys } from '../../lib/preferences.ts';
import { rivalsOf, withKeys, withOwnKeys } from './choices.ts';

const keysIn = (chosen: readonly ChosenKeys[], ...ids: CommandId[]) => ids.map((id) => keysOf(id, chosen));

test('keys are taken from the command that has them, which keeps its others', () => {
  expect(rivalsOf([], 'answer', ['e'])).toEqual(['close']);
  const chosen = withKeys([], 'answer', 'e');
  expect(keysIn(chosen, 'answer', 'close', 'reopen')).toEqual([['e'], ['s c'], ['Shift+E', 's o']]);
});

test('a single key hides the sequences that begin with it, and so does a sequence after a single key', () => {
  expect(rivalsOf([], 'answer', ['s'])).toEqual(['close', 'reopen', 'pend']);
  expect(keysIn(withKeys([], 'answer', 's'), 'close', 'reopen', 'pend')).toEqual([['e'], ['Shift+E'], []]);
  expect(rivalsOf([], 'answer', ['a b'])).toEqual(['assign']);
});

test('no keys, and its own keys again', () => {
  const none = withKeys([], 'close', '');
  expect(keysIn(none, 'close')).toEqual([[]]);
  expect(withOwnKeys(none, 'close')).toEqual([]);
});

test('own keys that another command has meanwhile are taken back from it', () => {
  const chosen = withKeys(withKeys([], 'close', 'q'), 'answer', 'e');
  expect(keysIn(withOwnKeys(chosen, 'close'), 'close', 'answer')).toEqual([['e', 's c'], []]);
});

test('arrow keys and Escape stay, and keys that nobody can press are ignored', () => {
  const chosen = withKeys(withKeys([], 'next', 'n'), 'back', '');
  expect(keysIn(chosen, 'next', 'back', 'note')).toEqual([['n', 'ArrowDown'], ['Escape'], []]);
  expect(keysIn([{ command: 'close', keys: '([)' }], 'close')).toEqual([[]]);
});
