import { firstCodePoints, searchWords } from './text.ts';

/**
 * PostgreSQL's tsvector and tsquery, written out here rather than by its parser: so what is a word is decided in one place,
 * whatever the database's locale, and no input is a syntax error. Words are letters and digits only, so none needs quoting.
 */

/** Only so much is indexed, over all parts of a vector. */
const indexedCodePointsMax = 50_000;
/**
 * A tsvector holds 1,048,575 bytes of words and positions (SQLSTATE 54000). As pairs of rare Han characters the code points come to
 * 900,000 with their workspace's letters, but a single one may fold to eighteen.
 */
const vectorBytesMax = 1_000_000;
/** Beside its own bytes a word takes the count of its positions and one to align them; each position two more. */
const wordExtraBytes = 2 + 1;
const positionBytes = 2;
/** PostgreSQL keeps positions up to this one, and 256 of one word. */
const positionMax = 16_383;
const positionsOfWordMax = 255;

export type WeightedText = { weight: 'A' | 'B' | 'C' | 'D'; text: string };

/**
 * What each word of a workspace's vectors begins with, and by itself a word that all of them have: so one index serves all workspaces, and what
 * a search reads of it is its own workspace's, however much the others have. Of 1,200 workspaces two are likely to share theirs:
 * a search names its workspace beside it.
 */
export function workspaceLetters(workspaceId: string): string {
  return workspaceId.slice(-5);
}

/** The text form of a tsvector, to be cast by `::tsvector`; never more than PostgreSQL takes, what comes first goes first. */
export function searchVector(workspaceId: string, parts: readonly WeightedText[]): string {
  const positions = new Map<string, string[]>();
  const letters = workspaceLetters(workspaceId);
  let position = 0;
  let bytes = 0;
  for (const { weight, text } of firstOfParts(parts)) {
    for (const word of searchWords(text)) {
      if (bytes > vectorBytesMax) break;
      position = Math.min(position + 1, positionMax);
      const known = positions.get(word);
      const at = `${position}${weight === 'D' ? '' : weight}`;
      if (known === undefined) positions.set(word, [at]);
      else if (known.length < positionsOfWordMax && position < positionMax) known.push(at);
      bytes += positionBytes + (known === undefined ? Buffer.byteLength(word) + letters.length + wordExtraBytes : 0);
    }
    // A phrase does not reach from one part into the next.
    position += 1;
  }
  return [letters, ...[...positions].map(([word, at]) => `${letters}${word}:${at.join(',')}`)].join(' ');
}

/** The parts that the budget of code points reaches, the last of them cut. */
function* firstOfParts(parts: readonly WeightedText[]): Generator<WeightedText> {
  let left = indexedCodePointsMax;
  for (const { weight, text } of parts) {
    if (left === 0) return;
    const first = firstCodePoints(text, left);
    left -= [...first].length;
    yield { weight, text: first };
  }
}
