/** Decodes RFC 2047 encoded words in header values, and tolerates the mistakes of real programs. */
import { breaksOff, cleanText, decodeCharset, isStateful } from './charset.ts';

/**
 * Decodes every encoded word of a header value, also inside quoted strings and parameter values.
 * Joins neighbouring words of one charset before decoding, because programs wrongly split a character over two words.
 * In a stateful charset, joins words only when the first does not return to ASCII. Leaves all other text unchanged.
 * Linear in the length of the value. Never throws.
 */
export function decodeWords(value: string): string {
  if (!value.includes('=?')) return value;
  return scanWords(value)
    .map((piece) => (piece.kind === 'text' ? piece.text : piece.decoded))
    .join('');
}

/**
 * Rewrites every run of encoded words as one well-formed UTF-8 word.
 * Parsers of structured fields need this: they must read the structure before they decode the words. Otherwise an
 * encoded comma or angle bracket could forge an address (RFC 2047 §6.2).
 */
export function canonicalWords(value: string): string {
  if (!value.includes('=?')) return value;
  return scanWords(value)
    .map((piece) =>
      piece.kind === 'text' ? piece.text : `=?utf-8?B?${Buffer.from(piece.decoded, 'utf8').toString('base64')}?=`,
    )
    .join('');
}

/** Bytes of UTF-8 in one word. Base64 turns 45 bytes into 60, so a word stays within the 75 of RFC 2047 §2. */
const wordBytesMax = 45;

/** Encodes text as base64 words, and never splits a character between two words. */
export function encodedWords(text: string): string {
  const words: string[] = [''];
  for (const character of text) {
    const grown = `${words.at(-1)}${character}`;
    if (Buffer.byteLength(grown) > wordBytesMax) words.push(character);
    else words[words.length - 1] = grown;
  }
  return words.map((word) => `=?utf-8?B?${Buffer.from(word, 'utf8').toString('base64')}?=`).join(' ');
}

/** Makes one line of readable text: replaces control characters and runs of white space with one space, and trims. */
export function oneLine(text: string): string {
  return cleanText(text)
    .replace(/[\x00-\x20\x7f-\x9f\u2028\u2029]+/g, ' ')
    .trim();
}

type Word = { charset: string; encoding: 'b' | 'q'; text: string };
type Piece = { kind: 'text'; text: string } | { kind: 'words'; decoded: string };

function scanWords(value: string): Piece[] {
  const pieces: Piece[] = [];
  let run: Word[] = [];
  let textFrom = 0;
  let at = value.indexOf('=?');
  const closeRun = () => {
    if (run.length > 0) pieces.push({ kind: 'words', decoded: decodeRun(run) });
    run = [];
  };
  while (at !== -1) {
    const found = readWord(value, at);
    if (found === 'no more words') break;
    if (found === null) {
      at = value.indexOf('=?', at + 2);
      continue;
    }
    const between = value.slice(textFrom, at);
    if (run.length === 0 || between.trim() !== '') {
      closeRun();
      if (between !== '') pieces.push({ kind: 'text', text: between });
    }
    run.push(found.word);
    textFrom = found.end;
    at = value.indexOf('=?', textFrom);
  }
  closeRun();
  if (textFrom < value.length) pieces.push({ kind: 'text', text: value.slice(textFrom) });
  return pieces;
}

const CHARSET_LABEL = /^[^?\s]{1,60}$/;

function readWord(value: string, at: number): { word: Word; end: number } | 'no more words' | null {
  const charsetEnd = value.indexOf('?', at + 2);
  if (charsetEnd === -1) return 'no more words';
  if (charsetEnd - at > 70 || value[charsetEnd + 2] !== '?') return null;
  const charset = value.slice(at + 2, charsetEnd);
  const encoding = value[charsetEnd + 1]?.toLowerCase();
  if (!CHARSET_LABEL.test(charset) || (encoding !== 'b' && encoding !== 'q')) return null;
  const textStart = charsetEnd + 3;
  const textEnd = value.indexOf('?=', textStart);
  if (textEnd === -1) {
    // A program that truncates long subjects leaves the last word open.
    const rest = value.slice(textStart);
    return /\s/.test(rest) ? 'no more words' : { word: { charset, encoding, text: rest }, end: value.length };
  }
  const text = value.slice(textStart, textEnd);
  if (text.includes('=?')) return null;
  return { word: { charset, encoding, text }, end: textEnd + 2 };
}

function decodeRun(given: readonly Word[]): string {
  const run = given.flatMap(withoutRawText);
  let decoded = '';
  let from = 0;
  while (from < run.length) {
    const first = run[from]!; // from is below the length
    let to = from + 1;
    while (to < run.length && run[to]!.charset.toLowerCase() === first.charset.toLowerCase()) to++;
    decoded += decodeAlike(run.slice(from, to), first.charset);
    from = to;
  }
  return cleanText(decoded);
}

/** Characters that a program left raw inside a word are read already, whatever charset the word names. */
function withoutRawText(word: Word): Word[] {
  if (word.encoding === 'b' || !/[^\x00-\x7f]/.test(word.text)) return [word];
  const pieces = word.text.match(/[\x00-\x7f]+|[^\x00-\x7f]+/g) ?? [];
  return pieces.map((text) =>
    text.charCodeAt(0) > 0x7f ? { charset: 'utf-8', encoding: 'q', text } : { ...word, text },
  );
}

/**
 * Decodes words of one charset. In a stateful charset each word ends in ASCII, unless a program split the text by
 * bytes.
 */
function decodeAlike(words: readonly Word[], charset: string): string {
  const chunks = wordChunks(words);
  const decode = (some: readonly Buffer[]) => decodeCharset(Buffer.concat(some), charset).text;
  if (chunks.length <= 1 || !isStateful(charset)) return decode(chunks);
  let decoded = '';
  const open: Buffer[] = [];
  let isOpen = false;
  for (const chunk of chunks) {
    // A word that begins with an escape does not continue the previous word.
    if (!isOpen || chunk[0] === ESCAPE) decoded += decode(open.splice(0));
    open.push(chunk);
    isOpen = breaksOff(chunk, charset) ?? isOpen;
  }
  return decoded + decode(open);
}

const ESCAPE = 0x1b;

/** Decodes each word to bytes. Joins words where a program split base64 inside a group of four characters. */
function wordChunks(words: readonly Word[]): Buffer[] {
  const chunks: Buffer[] = [];
  let openBase64 = '';
  for (const word of words) {
    if (word.encoding === 'q') {
      chunks.push(decodeBase64(openBase64), decodeQ(word.text));
      openBase64 = '';
      continue;
    }
    openBase64 += word.text.replace(/[^A-Za-z0-9+/=_-]/g, '');
    if (openBase64.endsWith('=') || openBase64.length % 4 === 0) {
      chunks.push(decodeBase64(openBase64));
      openBase64 = '';
    }
  }
  chunks.push(decodeBase64(openBase64));
  return chunks.filter(({ length }) => length > 0);
}

function decodeBase64(text: string): Buffer {
  return Buffer.from(text, 'base64');
}

function decodeQ(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll('_', ' '), 'utf8');
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] === 0x3d ? Number.parseInt(bytes.toString('latin1', at + 1, at + 3), 16) : Number.NaN;
    if (bytes[at] === 0x3d && /^[0-9a-f]{2}$/i.test(bytes.toString('latin1', at + 1, at + 3))) {
      bytes[length++] = code;
      at += 2;
    } else {
      bytes[length++] = bytes[at]!; // at is below the length
    }
  }
  return bytes.subarray(0, length);
}
