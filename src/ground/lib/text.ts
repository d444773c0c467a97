/** Folds text for comparison and search. Stored text and queries are folded in the same way. */

/** Letters that Unicode does not decompose into a base letter. */
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

const notAscii = /\P{ASCII}/u;

/** Folds case and accents: `Żółć` and `zolc` become equal. Idempotent. */
export function foldText(text: string): string {
  // Most words of most texts. The other steps leave ASCII as it is, and take ten times as long.
  if (!notAscii.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(letterFoldsPattern, (letter) => letterFolds[letter] ?? letter);
}

/** Equal for names that look equal but for their case. */
export function nameKey(text: string): string {
  return caseKey(text.replace(unseen, ''));
}

/** Folds case but keeps accents. For comparing tags and mail addresses. */
export function caseKey(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/** The first `countMax` code points. */
export function firstCodePoints(text: string, countMax: number): string {
  if (text.length <= countMax) return text;
  let end = 0;
  for (let count = 0; count < countMax && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

const cjkScripts = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`;
const cjk = new RegExp(`[${cjkScripts}]`, 'u');

/** Whether a text has Chinese, Japanese or Korean characters. */
export function hasCjk(text: string): boolean {
  return cjk.test(text);
}

/** A run ends where a CJK script meets another, as in `订单12345`: people put no space there. */
const runs = new RegExp(String.raw`[${cjkScripts}ー]+|[[\p{L}\p{N}]--[${cjkScripts}ー]]+`, 'gv');
const asciiRuns = /[a-z0-9]+/g;
/** The same runs in a text that is not folded, where accents may be characters of their own. */
const writtenRuns = new RegExp(
  String.raw`[${cjkScripts}ー]+|[[\p{L}\p{N}\p{M}\p{Default_Ignorable_Code_Point}]--[${cjkScripts}ー]]+`,
  'gv',
);
/** What no reader sees inside a word: soft hyphens, joiners, and the strokes that stretch an Arabic word. */
const unseen = /[\p{Default_Ignorable_Code_Point}\u0640]+/gu;

/** The words of a text as they are written, and the runs of scripts without spaces. */
export function runsOf(text: string): string[] {
  return text.match(writtenRuns) ?? [];
}

/** Longer words are remains of encoded data. A search finds them by their beginning. PostgreSQL allows 2,046 bytes. */
const wordCodePointsMax = 64;

/**
 * The folded words of a text, in order. Chinese, Japanese and Korean put no spaces between words, so their runs become
 * overlapping pairs of characters.
 */
export function searchWords(text: string): string[] {
  const folded = foldText(text.replace(unseen, ''));
  if (!notAscii.test(folded)) return (folded.match(asciiRuns) ?? []).map((run) => run.slice(0, wordCodePointsMax));
  // NFC composes Hangul again: people search for whole syllables, not for their letters.
  return (folded.normalize('NFC').match(runs) ?? []).flatMap((run) =>
    hasCjk(run) ? pairs(run) : [firstCodePoints(run, wordCodePointsMax)],
  );
}

function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
