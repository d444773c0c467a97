import { tabId } from '../api/tab.ts';
import type { DraftContent } from './draft-content.ts';

/**
 * What the service has not confirmed yet, kept in this browser at each key: a tab that dies, or a train without a network,
 * loses none of it.
 */
export type Buffered = {
  content: DraftContent;
  /** The version that it was written upon; 0 where there was none, undefined where the service had not told yet. */
  version?: number | undefined;
  /** What the service may have without this browser knowing it. */
  unconfirmed: DraftContent[];
  /** What remains of the content if the service has sent the rest: its answer is missing. */
  unsent?: DraftContent | undefined;
};
/** Until a tab has died, what it keeps is its own to save. */
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
    // A full store costs the safety net, not the text.
  }
}

export function dropBuffered(key: string): void {
  try {
    localStorage.removeItem(prefix + key);
  } catch {
    // Likewise: a browser may refuse its store.
  }
}

export function dropAllBuffered(): void {
  for (const key of keys()) dropBuffered(key);
}

/** What is kept in this browser, and by which of its tabs. */
export function allBuffered(): { key: string; tab: string | undefined }[] {
  return keys().map((key) => ({ key, tab: (readBuffered(key) as Kept | null)?.tab }));
}

function keys(): string[] {
  return Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length));
}
