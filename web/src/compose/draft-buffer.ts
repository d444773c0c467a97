import type { DraftContent } from './draft-content.ts';

/**
 * What the service has not confirmed yet, kept in this browser at each key: a tab that dies, or a train without a network,
 * loses none of it.
 */
export type Buffered = {
  content: DraftContent;
  /** The version that it was written upon; 0 where there was none. */
  version: number;
  /** What the service may have without this browser knowing it. */
  unconfirmed: DraftContent[];
  /** What remains of the content if the service has sent the rest: its answer is missing. */
  unsent?: DraftContent | undefined;
};

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
    localStorage.setItem(prefix + key, JSON.stringify(buffered));
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
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
}
