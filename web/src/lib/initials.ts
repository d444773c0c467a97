/** At most two letters or digits that stand for a person; one for names in characters that are words themselves. */
export function initialsOf(name: string): string {
  const firsts = [...name.matchAll(/(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}]/gu)].map(([letter]) => letter);
  const [first = '?', last = ''] = [firsts[0], firsts.length > 1 ? firsts.at(-1) : ''];
  return wholeWord.test(first) ? first : `${first}${last}`.toUpperCase();
}

const wholeWord = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Arabic}]/u;
