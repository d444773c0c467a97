import fc from 'fast-check';
import { encode } from 'iconv-lite';
import { expect, it } from 'vitest';
import { decodeWords } from './encoded-words.ts';

const toJis = Buffer.from('\x1b$B', 'latin1');
const toAscii = Buffer.from('\x1b(B', 'latin1');
const jis = (text: string) => Buffer.from(encode(text, 'euc-jp').map((byte) => byte & 0x7f));
const word = (bytes: Buffer) => `=?ISO-2022-JP?B?${bytes.toString('base64')}?=`;
const japanese = fc.string({
  unit: fc.constantFrom(...'あいうえお漢字件名確認返信注文発送'),
  minLength: 1,
  maxLength: 30,
});

it('reads words of a stateful charset separately', () => {
  expect(decodeWords(`${word(Buffer.concat([toJis, jis('確認'), toAscii]))} `.repeat(2).trim())).toBe('確認確認');
  expect(decodeWords('=?utf-7?Q?+ZeVnLA?= =?utf-7?Q?abc?=')).toBe('日本abc');
  expect(decodeWords('=?hz-gb-2312?Q?=7E{VP=7E}?= =?hz-gb-2312?Q?=7E{ND=7E}?=')).toBe('中文');
});

it('reads any Japanese text in words that each return to ASCII', () => {
  fc.assert(
    fc.property(fc.array(japanese, { minLength: 1, maxLength: 6 }), (pieces) => {
      const words = pieces.map((piece) => word(Buffer.concat([toJis, jis(piece), toAscii])));
      expect(decodeWords(words.join('\r\n '))).toBe(pieces.join(''));
    }),
  );
});

it('reads any Japanese text that was split into words by bytes', () => {
  fc.assert(
    fc.property(japanese, fc.integer({ min: 1, max: 12 }), (text, size) => {
      const bytes = Buffer.concat([toJis, jis(text), toAscii]);
      const words = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        word(bytes.subarray(at * size, (at + 1) * size)),
      );
      expect(decodeWords(words.join(' '))).toBe(text);
    }),
  );
});

it('reads any UTF-8 text, wherever it was split', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      (text, size) => {
        fc.pre(!text.includes('\0') && text.isWellFormed() && !text.startsWith('\ufeff'));
        const base64 = Buffer.from(text).toString('base64');
        const words = base64.match(new RegExp(`.{1,${size}}`, 'g'))?.map((piece) => `=?utf-8?B?${piece}?=`) ?? [];
        expect(decodeWords(words.join(' '))).toBe(text);
      },
    ),
  );
});

it('takes linear time, however many words are incomplete', () => {
  const words = `=?iso-2022-jp?Q?=1B$B${'%F'.repeat(10)}?= `.repeat(10_000);
  expect(decodeWords(words.trim()).length).toBe(100_000);
});
