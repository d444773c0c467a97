import { expect, test } from 'vitest';
import { wantedWords } from '../../ground/lib/search-query.ts';
import { matchesIn } from './matches.ts';

test.each<[search: string, text: string, matches: string[]]>([
  ['brake', 'The brake, and the Brakes', ['brake', 'Brakes']],
  ['brake ', 'The brake, and the Brakes', ['brake']],
  ['"flat tyre" -brake or wheel ', 'A flat tyre, a brake, a wheel', ['flat', 'tyre', 'wheel']],
  ['zolc', 'Żółć, zolc and Z\u030Co\u0301łć', ['Żółć', 'zolc', 'Z\u030Co\u0301łć']],
  ['strasse', 'Die Straße ist lang', ['Straße']],
  ['ann@example.org', 'ann wrote from example.org', ['ann', 'example', 'org']],
  ['订单', '我的订单12345在哪里', ['订单']],
  ['注文番号', 'ご注文番号を', ['注文番号']],
  ['part', 'A party of three', ['party']],
  ['', 'Nothing', []],
  ['-nothing', 'Nothing', []],
])('a search for %j in %j finds %j', (search, text, matches) => {
  expect(matchesIn([text], wantedWords(search))).toEqual(matches);
});

test('a word of two texts is told once', () => {
  expect(matchesIn(['Printer', 'Printer and printer'], wantedWords('printer'))).toEqual(['Printer', 'printer']);
});
