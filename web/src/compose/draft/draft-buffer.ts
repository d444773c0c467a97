import { tabId } from '../../api/tab.ts';
import type { DraftContent } from './draft-content.ts';

/** A draft that the service has not confirmed yet. */
export type Buffered = {
  content: DraftContent;
  /** The draft's version under this text: 0 without a draft, undefined if the service had not answered yet. */
  version?: number | undefined;
  /** Saves without an answer, which the service may have stored. */
  unconfirmed: DraftContent[];
  /** The rest of the content if the service did send the message, whose answer is missing. */
  unsent?: DraftContent | undefined;
};
type Kept = Buffered & { savedAt: number };

const prefix = 'kontor.draft ';

/**
 * Keeps an unsaved draft in the browser at each key press, so that a crashed tab or a lost network loses no text. Each
 * tab has an entry of its own, so that two tabs without a network do not overwrite each other's text.
 */
export class DraftBuffer {
  /** The newest text that any tab left. */
  readonly left: Buffered | null = null;
  #name: string;
  #source: { name: string; text: string } | undefined;

  constructor(key: string, tab: string = tabId) {
    this.#name = `${prefix}${key} ${tab}`;
    for (const name of names().filter((one) => one.startsWith(`${prefix}${key} `))) {
      const found = read(name);
      if (found === null || found.kept.savedAt < ((this.left as Kept | null)?.savedAt ?? 0)) continue;
      this.left = found.kept;
      this.#source = { name, text: found.text };
    }
  }

  keep(buffered: Buffered): void {
    try {
      localStorage.setItem(this.#name, JSON.stringify({ ...buffered, savedAt: Date.now() } satisfies Kept));
    } catch {
      // With a full storage the text still works, only without this copy.
      return;
    }
    this.#dropSource();
  }

  drop(): void {
    drop(this.#name);
    this.#dropSource();
  }

  /** The text has moved to this tab, unless its own tab lives and writes on. */
  #dropSource(): void {
    const { name, text } = this.#source ?? {};
    this.#source = undefined;
    if (name !== undefined && name !== this.#name && read(name)?.text === text) drop(name);
  }
}

/** The keys of all kept drafts, each with the tab that keeps it. */
export function allBuffered(): { key: string; tab: string }[] {
  return names().map((name) => {
    const end = name.lastIndexOf(' ');
    return { key: name.slice(prefix.length, end), tab: name.slice(end + 1) };
  });
}

function read(name: string): { kept: Kept; text: string } | null {
  try {
    const text = localStorage.getItem(name);
    return text === null ? null : { kept: JSON.parse(text) as Kept, text };
  } catch {
    return null;
  }
}

function drop(name: string): void {
  try {
    localStorage.removeItem(name);
  } catch {
    // A browser may refuse access to its storage.
  }
}

function names(): string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}
