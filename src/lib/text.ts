/** Text as it is compared and searched: folded the same way when it is written and when it is asked for. */

/** Letters that no decomposition reaches. */
const letterFolds: Record<string, string> = {
  ł: 'l',
  ø: 'o',
  ß: 'ss',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ŧ: 't',
  ĸ: 'k',
  ſ: 's',
  ς: 'σ',
};
const letterFoldsPattern = new RegExp(`[${Object.keys(letterFolds).join('')}]`, 'g');

/** Case and accents folded: `Żółć` and `zolc` are one. Idempotent. */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(letterFoldsPattern, (letter) => letterFolds[letter] ?? letter);
}

/** A name folded for comparison without case alone: tags and mail addresses. */
export function caseKey(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/** The first so many code points. */
export function firstCodePoints(text: string, countMax: number): string {
  if (text.length <= countMax) return text;
  let end = 0;
  for (let count = 0; count < countMax && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** A run ends where such a script and another meet, as in `订单12345`: between them people put no spaces either. */
const runs =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+|[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]]+/gv;
/** Longer words are the debris of encodings; they are found by their beginning. PostgreSQL takes 2,046 bytes. */
const wordCodePointsMax = 64;

/**
 * The words of a text, folded, in order. Runs of Chinese, Japanese and Korean, which put no spaces between words, become
 * overlapping pairs of characters.
 */
export function searchWords(text: string): string[] {
  // Hangul is composed again: its letters are one character for whoever searches.
  return (foldText(text).normalize('NFC').match(runs) ?? []).flatMap((run) =>
    cjk.test(run) ? pairs(run) : [firstCodePoints(run, wordCodePointsMax)],
  );
}

function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
