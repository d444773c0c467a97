import { randomId } from '../../lib/random-id.ts';
import type { Draft } from '../queries.ts';
import { contentOf, type DraftContent, isNothing, isSameContent } from './draft-content.ts';
import {
  type Buffered,
  beginningAnew,
  type DraftStore,
  isSeen,
  overOwn,
  type Seen,
  seenOf,
  withSave,
} from './lost-saves.ts';

/** What this page knows of its draft at the service, and the requests that change it there. */
export class ServiceDraft {
  #store: DraftStore;
  /** The text that a tab left in this browser, from which this page began. */
  #left: Buffered | null;
  #onNewKey: () => void;
  /** Whether the service has told this page of its draft. */
  isTold = false;
  /** The draft under the text; undefined if the writer has seen none. */
  seen: Seen | undefined;
  /** Its text, if this page has read or saved it. */
  saved: DraftContent | undefined;
  /** Saves that the service may have: their answers were lost or are on their way. */
  unconfirmed: DraftContent[];
  /** A key of a dead tab's text stays until the service refuses it: that tab's last save may still come. */
  beginKey: string;

  /** @param onNewKey called when a save needs a new key, before it is repeated with that */
  constructor(store: DraftStore, left: Buffered | null, onNewKey: () => void) {
    this.#store = store;
    this.#left = left;
    this.#onNewKey = onNewKey;
    this.seen = left?.seen;
    this.unconfirmed = left?.unconfirmed ?? [];
    this.beginKey = left?.beginKey ?? randomId();
  }

  /** Begins anew, without the text that a tab left. */
  forget(): void {
    this.isTold = false;
    this.seen = undefined;
    this.beginKey = randomId();
  }

  /** Takes what the service has, null without a draft. */
  note(draft: Draft | null): void {
    this.isTold = true;
    const isGone = draft === null && this.seen?.draftId !== undefined;
    if (isGone && this.beginKey !== this.#left?.beginKey) this.beginKey = randomId();
    this.seen = seenOf(draft);
    this.saved = draft === null ? undefined : contentOf(draft);
    this.unconfirmed = [];
  }

  isSeen(draft: Draft | null): boolean {
    return isSeen(draft, this.seen);
  }

  /** The seen draft if it has this text, as far as this page knows. */
  seenWith(text: DraftContent): Seen | undefined {
    const isSaved = this.saved !== undefined && isSameContent(this.saved, text);
    return isSaved && this.unconfirmed.length === 0 && this.seen?.draftId !== undefined ? this.seen : undefined;
  }

  /** Call it before `put` or `remove`, and keep what it remembers: their answer may be lost. */
  expect(content: DraftContent): void {
    this.unconfirmed = withSave(this.unconfirmed, content);
  }

  put(content: DraftContent, keepalive: boolean): Promise<Draft> {
    const put = (seen: Seen) => this.#store.put(content, seen, keepalive, this.beginKey);
    const renewKey = () => {
      this.beginKey = randomId();
      this.#onNewKey();
    };
    return overOwn(beginningAnew(put, renewKey), this.seen ?? seenOf(null), this.unconfirmed);
  }

  async remove(keepalive: boolean): Promise<null> {
    const seen = this.seen ?? seenOf(null);
    // A save whose answer was lost may have created a draft.
    if (seen.version === 0 && this.unconfirmed.every(isNothing)) return null;
    await overOwn((now) => this.#store.remove(now, keepalive), seen, this.unconfirmed);
    return null;
  }
}
