import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inventedId } from '../../../test/worlds/factories.ts';
import type { WorkspaceId } from './ids.ts';
import { searchQuery } from './search-query.ts';
import { searchVector } from './search-vector.ts';
import { caseKey, firstCodePoints, foldText, searchWords } from './text.ts';

test.each([
  ['Żółć', 'zolc'],
  ['ŁÓDŹ', 'lodz'],
  ['Straße', 'strasse'],
  ['STRASSE', 'strasse'],
  ['Ærøskøbing', 'aeroskobing'],
  ['İstanbul', 'istanbul'],
  ['ﬁne', 'fine'],
  ['Ὀδυσσεύς', 'οδυσσευσ'],
])('%s folds to %s', (text, folded) => {
  expect(foldText(text)).toBe(folded);
});

test('folding twice changes nothing', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => foldText(foldText(text)) === foldText(text)));
});

test('ASCII text folds, and splits into words, as it does beside other letters', () => {
  const asciiText = fc.string({ unit: 'binary-ascii' });
  fc.assert(fc.property(asciiText, (text) => foldText(`${text}ж`) === `${foldText(text)}ж`));
  fc.assert(
    fc.property(asciiText, (text) => {
      expect(searchWords(`${text} ж`)).toEqual([...searchWords(text), 'ж']);
    }),
  );
});

test('words are letters and digits, and CJK runs become pairs of characters', () => {
  expect(searchWords("Don't e-mail ann@firm.example! 12.5")).toEqual([
    'don',
    't',
    'e',
    'mail',
    'ann',
    'firm',
    'example',
    '12',
    '5',
  ]);
  expect(searchWords('発票です')).toEqual(['発票', '票て', 'てす']);
  expect(searchWords('도와주세요')).toEqual(['도와', '와주', '주세', '세요']);
  expect(searchWords('苹果iPhone手机 订单12345已发货')).toEqual([
    '苹果',
    'iphone',
    '手机',
    '订单',
    '12345',
    '已发',
    '发货',
  ]);
  expect(searchWords('東京タワーABC한국')).toEqual(['東京', '京タ', 'タワ', 'ワー', 'abc', '한국']);
});

test('the cut to code points never splits a surrogate pair', () => {
  expect(firstCodePoints('a😀b', 2)).toBe('a😀');
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.nat(20),
      (text, count) => firstCodePoints(text, count).isWellFormed() === true || !text.isWellFormed(),
    ),
  );
});

test('keys ignore case and keep accents', () => {
  expect(caseKey(' ÉTÉ ')).toBe('été');
});

test('a vector holds workspace letters, positions and weights', () => {
  const workspace = inventedId<WorkspaceId>('00000000-0000-7000-8000-000000000001');
  expect(
    searchVector(workspace, [
      { weight: 'A', text: 'Foo bar' },
      { weight: 'D', text: 'foo' },
    ]),
  ).toBe('00001 00001foo:1A,4 00001bar:2A');
  expect(searchQuery(workspace, 'a "b c" -d or e')).toEqual({
    wanted: '((00001a) & (00001b <-> 00001c)) | ((00001e:*))',
    excluded: '(00001d)',
    unfinished: undefined,
  });
  expect(searchQuery(workspace, '-d')).toEqual({ wanted: '00001', excluded: '(00001d)', unfinished: undefined });
  expect(searchQuery(workspace, 'foo ')).toEqual({
    wanted: '((00001foo))',
    excluded: undefined,
    unfinished: undefined,
  });
  expect(searchQuery(workspace, 'a e')?.unfinished).toEqual({
    word: '00001e:*',
    wordAsWhole: '00001e',
    wantedAsWhole: '((00001a) & (00001e))',
    wantedBeside: '((00001a))',
  });
  expect(searchQuery(workspace, 'foo-ba')?.unfinished).toEqual({
    word: '00001ba:*',
    wordAsWhole: '00001ba',
    wantedAsWhole: '((00001foo <-> 00001ba))',
    wantedBeside: undefined,
  });
  expect(searchQuery(workspace, 'foo ba -x')?.unfinished).toBeUndefined();
  expect(searchQuery(workspace, `${'a '.repeat(40)}e`)?.unfinished).toBeUndefined();
  expect(searchQuery(workspace, '!!! ""')).toBeUndefined();
});

test.each([
  ['a soft hyphen', 'Rech\u00adnung'],
  ['a zero-width blank', 'Rech\u200bnung'],
  ['joiners', 'Rech\u200cnu\u2060ng\ufeff'],
  ['decomposed letters', 'Re\u0301ch\u200dnung'.normalize('NFD')],
  ['full-width letters', 'Ｒｅｃｈｎｕｎｇ'],
  ['mathematical letters', '𝐑𝐞𝐜𝐡nung'],
])('a word with %s is one word, in texts and in searches', (_what, text) => {
  expect(searchWords(text)).toEqual(['rechnung']);
});

test.each([
  ['ligatures', 'ﬁnance oﬀer', ['finance', 'offer']],
  ['Arabic strokes', 'مـــرحبا', ['مرحبا']],
  ['Persian joiners', 'می\u200cخواهم', ['میخواهم']],
  ['tabs, bars and slashes between words', 'Qty\tPrice|Sum a/b', ['qty', 'price', 'sum', 'a', 'b']],
])('reads %s', (_what, text, words) => {
  expect(searchWords(text)).toEqual(words);
});

test('a word that a hyphen parts at the end of a line is found whole and by its halves', () => {
  const wordsOf = (text: string) =>
    searchVector(inventedId<WorkspaceId>('00000000-0000-7000-8000-000000000001'), [{ weight: 'D', text }])
      .split(' ')
      .slice(1)
      .map((word) => word.slice('00001'.length).split(':')[0]);
  expect(wordsOf('Die Rech-\nnung')).toEqual(['die', 'rech', 'nung', 'rechnung']);
  expect(wordsOf('Rech\u00ad\r\nnung')).toEqual(['rech', 'nung', 'rechnung']);
  expect(wordsOf('Nord-\nSüd 1-\n2')).toEqual(['nord', 'sud', '1', '2']);
});
