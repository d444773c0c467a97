import { livingTabs, tabId } from '../../api/tab.ts';
import { draftPrefix, keptDrafts } from '../../lib/kept-drafts.ts';
import type { Buffered } from './lost-saves.ts';

type Kept = Buffered & { savedAt: number };

/**
 * Keeps an unsaved draft in the browser at each key press, so that a crashed tab or a lost network loses no text. Each
 * tab has an entry of its own, so that two tabs without a network do not overwrite each other's text.
 */
export class DraftBuffer {
  /** The newest text that any tab left. */
  readonly left: Buffered | null = null;
  #name: string;
  #source: { name: string; text: string } | undefined;
  #isLiving: ((tab: string) => boolean) | undefined;

  /** @param yieldLeft called if the left text is that of a living tab, and has not moved to this tab */
  constructor(key: string, tab: string = tabId, yieldLeft: () => void = () => {}) {
    this.#name = `${draftPrefix}${key} ${tab}`;
    for (const name of keptDrafts().filter((one) => one.startsWith(`${draftPrefix}${key} `))) {
      const found = read(name);
      if (found === null || found.kept.savedAt < ((this.left as Kept | null)?.savedAt ?? 0)) continue;
      this.left = found.kept;
      this.#source = { name, text: found.text };
    }
    if (this.left === null) return;
    void livingTabs().then((isLiving) => {
      this.#isLiving = isLiving;
      if (!this.#isOfLiving) return;
      this.#source = undefined;
      yieldLeft();
    });
  }

  get #isOfLiving(): boolean {
    return this.#source !== undefined && this.#isLiving?.(placeOf(this.#source.name).tab) === true;
  }

  /** @returns false for a text that a tab left, if that tab lives or another tab has taken it: they save it */
  claim(): boolean {
    if (this.#source === undefined) return true;
    const { name, text } = this.#source;
    const isFree = read(name)?.text === text && !this.#isOfLiving;
    if (!isFree) this.#source = undefined;
    return isFree;
  }

  keep(buffered: Buffered): void {
    try {
      localStorage.setItem(this.#name, JSON.stringify({ ...buffered, savedAt: Date.now() } satisfies Kept));
      this.#dropSource();
    } catch {
      // With a full storage the text still works, only without this copy.
      this.#source = undefined;
    }
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
  return keptDrafts().map(placeOf);
}

function placeOf(name: string): { key: string; tab: string } {
  const end = name.lastIndexOf(' ');
  return { key: name.slice(draftPrefix.length, end), tab: name.slice(end + 1) };
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
