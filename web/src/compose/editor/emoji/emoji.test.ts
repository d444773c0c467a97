import { expect, test } from 'vitest';
import { type Emoji, findEmoji } from './emoji.ts';

const all: readonly Emoji[] = [
  ['😀', 'grinning face', 'grinning smile happy'],
  ['😄', 'grinning face with smiling eyes', 'smile happy eyes'],
  ['😊', 'smiling face with smiling eyes', 'blush happy'],
  ['👍', 'thumbs up', '+1 thumbsup good yes'],
  ['🚲', 'Fahrrad', 'bike radfahren'],
];
const found = (typed: string, max = 9) => findEmoji(all, typed, max).map(([emoji]) => emoji);

test('an emoji is found by the beginnings of its name and words, in any case', () => {
  expect(found('GRIN')).toEqual(['😀', '😄']);
  expect(found('fahr')).toEqual(['🚲']);
  expect(found('eyes happy')).toEqual(['😊', '😄']);
  expect(found('inning')).toEqual([]);
  expect(found(' ')).toEqual([]);
});

test('a short name comes before a name, and a name before other words', () => {
  expect(found('blush')).toEqual(['😊']);
  expect(found('+1')).toEqual(['👍']);
  expect(found('smi')).toEqual(['😊', '😀', '😄']);
  expect(found('smi', 1)).toEqual(['😊']);
  expect(found('thumbs_up')).toEqual(['👍']);
});
