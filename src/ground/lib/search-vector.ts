import type { WorkspaceId } from './ids.ts';
import { firstCodePoints, searchWords } from './text.ts';

/**
 * Writes PostgreSQL's tsvector and tsquery here instead of with PostgreSQL's parser. One place then decides what counts
 * as a word, under any locale of the database, and no input is a syntax error. Words hold only letters and digits, so
 * none needs quotes.
 */

/** The index limit for all parts of a vector together. */
const indexedCodePointsMax = 50_000;
/**
 * A tsvector holds 1,048,575 bytes of words and positions (SQLSTATE 54000). As pairs of rare Han characters, the 50,000
 * code points take 900,000 bytes with the workspace's letters. But one code point may fold to eighteen, so bytes need a
 * limit too.
 */
const vectorBytesMax = 1_000_000;
/** Beside its own bytes, a word takes two bytes for the count of its positions and one to align them. */
const wordExtraBytes = 2 + 1;
const positionBytes = 2;
/** PostgreSQL keeps positions up to 16,383, and at most 256 positions of one word. */
const positionMax = 16_383;
const positionsOfWordMax = 255;

export type WeightedText = { weight: 'A' | 'B' | 'C' | 'D'; text: string };

/**
 * The prefix of every word in a workspace's vectors. The prefix alone is also a word of each vector.
 * One index thus serves all workspaces, and a search reads only its own workspace's part of the index.
 * Among 1,200 workspaces two probably share a prefix, so a search filters by workspace as well.
 */
export function workspaceLetters(workspaceId: WorkspaceId): string {
  return workspaceId.slice(-5);
}

/**
 * The text of a tsvector, for a `::tsvector` cast. Never exceeds PostgreSQL's limits: earlier parts take precedence.
 */
export function searchVector(workspaceId: WorkspaceId, parts: readonly WeightedText[]): string {
  const positions = new Map<string, string[]>();
  const letters = workspaceLetters(workspaceId);
  let position = 0;
  let bytes = 0;
  for (const { weight, text } of firstOfParts(parts)) {
    for (const word of [...searchWords(text), ...searchWords(hyphenatedWords(text))]) {
      if (bytes > vectorBytesMax) break;
      position = Math.min(position + 1, positionMax);
      const known = positions.get(word);
      const at = `${position}${weight === 'D' ? '' : weight}`;
      if (known === undefined) positions.set(word, [at]);
      else if (known.length < positionsOfWordMax && position < positionMax) known.push(at);
      bytes += positionBytes + (known === undefined ? Buffer.byteLength(word) + letters.length + wordExtraBytes : 0);
    }
    // The gap keeps a phrase from matching across two parts.
    position += 1;
  }
  return [letters, ...[...positions].map(([word, at]) => `${letters}${word}:${at.join(',')}`)].join(' ');
}

/** Words that a hyphen parts at the end of a line, whole. Their halves are words too, as of "self-service". */
function hyphenatedWords(text: string): string {
  const whole = [...text.matchAll(/\p{L}[-\u2010\u00ad]\r?\n\p{Ll}/gu)].map(({ 0: match, index }) => {
    const before = text.slice(Math.max(0, index + 1 - halfMax), index + 1);
    const after = text.slice(index + match.length - 1, index + match.length + halfMax);
    const [first] = /(?<![\p{L}\p{M}])[\p{L}\p{M}]+$/u.exec(before) ?? [''];
    const [second] = /^[\p{L}\p{M}]+/u.exec(after) ?? [''];
    return first + second;
  });
  return whole.join(' ');
}

const halfMax = 40;

/** The parts within the limit of code points. The last part may be cut. */
function* firstOfParts(parts: readonly WeightedText[]): Generator<WeightedText> {
  let left = indexedCodePointsMax;
  for (const { weight, text } of parts) {
    if (left === 0) return;
    const first = firstCodePoints(text, left);
    left -= [...first].length;
    yield { weight, text: first };
  }
}
