import type { Random } from '../emulators/random.ts';

const vocabulary = 20_000;
const syllables = 'ba de ki lo mu na pe ri so tu va we xi yo zu ga he ji fo ce'.split(' ');

/** Forty to a hundred and twenty words in a few paragraphs. */
export function bodyText(random: Random): string {
  const paragraphs = 2 + random.below(3);
  return Array.from({ length: paragraphs }, () => `${capital(words(random, 20 + random.below(20)))}.`).join('\n\n');
}

/** Few words are common and most are rare, as in any language: the density of a rank is one over the rank. */
export function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => word(Math.floor(vocabulary ** random.fraction()) - 1)).join(' ');
}

/** A word that no text contains by chance. */
export function rareWord(index: number): string {
  return word(vocabulary + index);
}

/** The word of a rank. Common words are short. */
export function word(rank: number): string {
  let text = '';
  for (let rest = rank + syllables.length; rest > 0; rest = Math.floor(rest / syllables.length)) {
    text += syllables[rest % syllables.length];
  }
  return text;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
