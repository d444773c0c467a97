/** Message-IDs as mails write them (RFC 5322 §3.6.4), read leniently and compared exactly. */
import { decodeWords } from './encoded-words.ts';

/** In our mails through mailboxes: our own Message-ID, for providers may put another in its proper place. */
export const ownIdHeader = 'X-Kontor-Message-ID';

/** RFC 5322 §2.1.1 bounds a line, and so an unfolded id; longer ones are not ids. */
const MESSAGE_ID_CHARS_MAX = 998;
/** Long threads carry some hundreds; more is no thread. */
const MESSAGE_IDS_MAX = 1_000;

/**
 * Reads every Message-ID of a header value, in order, repeats dropped, brackets stripped.
 * Takes several ids, commas, missing brackets or only one of them, blanks within the brackets (folded ids), words
 * around them and encoded words. Outside brackets only what holds an `@` counts.
 * Never throws; linear.
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
    // An unclosed bracket ends where the next opens.
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
