import { tabId } from '../api/tab.ts';
import type { DraftContent } from './draft-content.ts';

/**
 * A draft that the service has not confirmed yet. The browser keeps it at each key press, so that a crashed tab or a
 * lost network loses no text.
 */
export type Buffered = {
  content: DraftContent;
  /** The draft's version under this text: 0 without a draft, undefined if the service had not answered yet. */
  version?: number | undefined;
  /** Saves without an answer, which the service may have stored. */
  unconfirmed: DraftContent[];
  /** The rest of the content if the service did send the message, whose answer is missing. */
  unsent?: DraftContent | undefined;
};
/** Only the tab itself saves its draft, until the tab has closed. */
type Kept = Buffered & { tab?: string };

const prefix = 'kontor.draft ';

export function readBuffered(key: string): Buffered | null {
  try {
    return JSON.parse(localStorage.getItem(prefix + key) ?? 'null') as Buffered | null;
  } catch {
    return null;
  }
}

export function keepBuffered(key: string, buffered: Buffered): void {
  try {
    localStorage.setItem(prefix + key, JSON.stringify({ ...buffered, tab: tabId } satisfies Kept));
  } catch {
    // With a full storage the text still works, only without this copy.
  }
}

export function dropBuffered(key: string): void {
  try {
    localStorage.removeItem(prefix + key);
  } catch {
    // A browser may refuse access to its storage.
  }
}

export function dropAllBuffered(): void {
  for (const key of keys()) dropBuffered(key);
}

/** The keys of all kept drafts, each with the tab that keeps it. */
export function allBuffered(): { key: string; tab: string | undefined }[] {
  return keys().map((key) => ({ key, tab: (readBuffered(key) as Kept | null)?.tab }));
}

function keys(): string[] {
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length));
}
