/** Reads Message-IDs in mail (RFC 5322 §3.6.4). Reading is lenient, but comparison is exact. */
import { decodeWords } from './encoded-words.ts';

/**
 * Repeats our Message-ID in mail that we send through mailboxes, because providers may replace the Message-ID header.
 */
export const ownIdHeader = 'X-Kontor-Message-ID';

/** RFC 5322 §2.1.1 limits a line to this length, and so an unfolded id. Longer text is not an id. */
const MESSAGE_ID_CHARS_MAX = 998;
/** Long threads carry some hundreds of ids. No real thread has more than this. */
const MESSAGE_IDS_MAX = 1_000;

/**
 * Reads all Message-IDs of a header value, in order, without repeats and brackets.
 * Accepts several ids, commas, a missing bracket or both, blanks within brackets (folded ids), text around the ids, and
 * encoded words. Outside brackets, only a word with an `@` counts as an id.
 * Never throws. Linear.
 */
export function readMessageIds(value: string): string[] {
  const ids = new Set<string>();
  const text = value.includes('=?') ? decodeWords(value) : value;
  let at = 0;
  while (at < text.length && ids.size < MESSAGE_IDS_MAX) {
    const open = text.indexOf('<', at);
    for (const word of text.slice(at, open === -1 ? undefined : open).split(/[\s,;>()"]+/)) {
      if (word.includes('@')) addId(ids, word);
    }
    if (open === -1) break;
    const close = text.indexOf('>', open);
    const nextOpen = text.indexOf('<', open + 1);
    // An unclosed bracket ends where the next bracket opens.
    const end = close === -1 || (nextOpen !== -1 && nextOpen < close) ? nextOpen : close;
    addId(ids, text.slice(open + 1, end === -1 ? undefined : end));
    if (end === -1) break;
    at = end === nextOpen ? end : end + 1;
  }
  return [...ids].slice(0, MESSAGE_IDS_MAX);
}

function addId(ids: Set<string>, written: string): void {
  if (written.length > MESSAGE_ID_CHARS_MAX * 2) return;
  const id = written.replace(/[\s\x00-\x1f\x7f]+/g, '');
  if (id !== '' && id.length <= MESSAGE_ID_CHARS_MAX) ids.add(id);
}
