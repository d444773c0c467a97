import { ApiError } from '../../api/client.ts';
import { Watched } from '../../lib/watched.ts';
import type { Draft } from '../queries.ts';
import { DraftBuffer } from './draft-buffer.ts';
import {
  areJoinable,
  contentOf,
  type DraftContent,
  type DraftSnapshot,
  isNothing,
  isSameContent,
  isSmall,
  joined,
  nothingWritten,
  stateOf,
} from './draft-content.ts';
import { isOwnSave, putOver, retryAfter, withSave } from './lost-saves.ts';

/** The place at the service that stores a draft. */
export type DraftStore = {
  /** @param version the last seen version; 0 without a draft */
  put(content: DraftContent, version: number, keepalive: boolean): Promise<Draft>;
  remove(keepalive: boolean): Promise<void>;
};

/** The longest time before text is saved at the service, also during typing. */
const saveAfterMs = 1_000;

/** Saves one draft: in this browser at each key press, at the service within a second. */
export class DraftKeeper extends Watched<DraftSnapshot> {
  #store: DraftStore;
  #kept: DraftBuffer;
  /** The draft's version at the service; undefined until its first answer. */
  #version: number | undefined;
  /** The version under the text that an earlier page left. It counts until `#version` is known. */
  #versionLeft: number | undefined;
  /** The service's first answer, if it came while a text was being sent. */
  #toldLate: Draft | null | undefined;
  #draftId: string | undefined;
  #isDirty = false;
  /** Saves that the service may have: their answers were lost or are on their way. */
  #unconfirmed: DraftContent[] = [];
  #saving: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #otherVersion = 0;
  /** The text that is being sent. Nothing is saved meanwhile. */
  #sending: DraftContent | undefined;
  /** The text to keep if the message was sent after all, although the service's answer was lost. */
  #unsent: DraftContent | undefined;
  #isClosed = false;
  /** Failed saves since the last successful save. */
  #faults = 0;

  /** @param tab the tab that keeps the text in this browser: by default this tab */
  constructor(store: DraftStore, key: string, tab?: string) {
    super({ content: nothingWritten, state: 'empty', other: null, revision: 0 });
    this.#store = store;
    this.#kept = new DraftBuffer(key, tab);
    const { left } = this.#kept;
    if (left !== null) {
      this.#isDirty = true;
      ({ unsent: this.#unsent, version: this.#versionLeft, unconfirmed: this.#unconfirmed } = left);
      this.show({ content: { ...nothingWritten, ...left.content }, state: 'unsaved' });
    }
  }

  get isIdle(): boolean {
    return !this.#isDirty && this.#saving === undefined && !this.#isHeld;
  }

  get #isHeld(): boolean {
    return this.#isClosed || this.#sending !== undefined;
  }

  /** Whether there is text that was written before the service's first answer. */
  get isAhead(): boolean {
    return this.#isDirty && this.#version === undefined;
  }

  get #isInConflict(): boolean {
    return this.read().state === 'conflict';
  }

  /** Stops all saving. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Takes the service's draft. The writer's own unsaved text is never overwritten. */
  load = (draft: Draft | null): void => {
    if (this.#version === undefined && this.#sending !== undefined) this.#toldLate = draft;
    else if (this.#version === undefined) this.#loadFirst(draft);
    else if (this.isIdle && ((draft?.version ?? 0) !== this.#version || draft?.id !== this.#draftId))
      this.#adopt(draft);
  };

  #loadFirst(draft: Draft | null): void {
    const { content } = this.read();
    if (draft === null && this.#unsent !== undefined) this.meetNothing();
    else if (!this.#isDirty || draft === null || isSameContent(contentOf(draft), content)) {
      this.#note(draft);
      if (this.#isDirty) this.#saveSoon();
      else this.#adopt(draft);
    } else if (this.#versionLeft === draft.version || isOwnSave(draft, this.#unconfirmed)) {
      this.#note(draft);
      this.#saveSoon();
    } else if (this.#versionLeft === undefined && areJoinable(contentOf(draft), content)) {
      // The writer did not see the draft, so their text is joined below it.
      this.#note(draft);
      this.replace(joined(contentOf(draft), content));
    } else this.#meet(draft);
  }

  /** Takes a change by the writer. */
  change(patch: Partial<DraftContent>): void {
    this.#isDirty = true;
    if (!this.#isHeld) this.#unsent = undefined;
    const content = { ...this.read().content, ...patch };
    this.show({ content, state: this.#isInConflict ? 'conflict' : 'unsaved' });
    this.#buffer();
    this.#saveSoon();
  }

  /** Replaces the text, for instance by an undone answer. */
  replace(content: DraftContent): void {
    this.change(content);
    this.show({ revision: this.read().revision + 1 });
  }

  async flush(keepalive = false): Promise<void> {
    if (this.#isDirty) await this.#save(keepalive);
  }

  /** Ends a conflict with the writer's text, the other text, or the other below the writer's. */
  resolve(choice: 'mine' | 'other' | 'both'): void {
    const { content, other } = this.read();
    this.#version = this.#otherVersion;
    if (other === null) this.#draftId = undefined;
    this.show({ other: null, state: 'unsaved' });
    if (choice === 'other') {
      this.#isDirty = false;
      this.#kept.drop();
      const next = other ?? nothingWritten;
      this.show({ content: next, state: stateOf(next), revision: this.read().revision + 1 });
    } else if (choice === 'both' && other !== null) this.replace(joined(content, other));
    else this.#isDirty = true;
    this.#saveSoon();
  }

  /** Empties the composer when a text is sent. The browser keeps the text until `endSend`. */
  beginSend(): void {
    const { content, revision } = this.read();
    this.#sending = content;
    this.#isDirty = false;
    this.show({ content: nothingWritten, state: 'empty', revision: revision + 1 });
    this.#buffer();
  }

  /**
   * Saves the text that is being sent as a draft. The service deletes the draft when it sends the text. So a draft that
   * still exists shows that the text was not sent, whichever answers were lost.
   * @throws where the draft cannot be saved
   */
  async draftOfSent(): Promise<{ draftId?: string }> {
    await this.#saving;
    if (this.#draftId === undefined && this.#sending !== undefined) {
      this.#unconfirmed = withSave(this.#unconfirmed, this.#sending);
      this.#buffer();
      this.#note(await this.#put(this.#sending, false));
    }
    this.#buffer();
    return this.#draftId === undefined ? {} : { draftId: this.#draftId };
  }

  /**
   * @param refused the text that could not be sent; it returns above the text written meanwhile
   * @param isUncertain whether the service may have sent the text after all
   */
  endSend(refused?: DraftContent, isUncertain = false): void {
    this.#sending = undefined;
    const { content } = this.read();
    if (refused !== undefined) {
      const isPerhapsSent = this.#unsent !== undefined || (isUncertain && this.#draftId !== undefined);
      const unsent = isPerhapsSent ? joined(this.#unsent ?? nothingWritten, content) : undefined;
      this.replace(joined(refused, content));
      this.#unsent = unsent;
      this.#buffer();
      if (this.isAhead && this.#toldLate !== undefined) this.#loadFirst(this.#toldLate);
      return;
    }
    this.#note(null);
    if (this.#isDirty) this.#buffer();
    else this.#kept.drop();
    this.#saveSoon();
  }

  /** Handles a draft at the service that is newer than the draft under this text. */
  meetNewer(draft: Draft): void {
    if (this.#version === undefined) this.#loadFirst(draft);
    else if (this.#version !== draft.version) this.#meet(draft);
  }

  /** Handles a draft that is gone: this or another tab has sent it, or it was discarded. */
  meetNothing(): void {
    const rest = this.#unsent;
    if (rest === undefined) this.#meet(null);
    else {
      this.#isDirty = false;
      this.#adopt(null);
      this.#kept.drop();
      if (!isNothing(rest)) this.replace(rest);
    }
  }

  #saveSoon(): void {
    if (!this.#isDirty || this.#timer !== undefined || this.#isHeld) return;
    this.#timer = setTimeout(() => void this.#save(false), saveAfterMs);
  }

  async #save(keepalive: boolean): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#saving !== undefined || this.#version === undefined) return;
    if (this.#isHeld || this.#isInConflict || !this.#isDirty) return;
    const { content } = this.read();
    this.#isDirty = false;
    this.#unconfirmed = withSave(this.#unconfirmed, content);
    this.#buffer();
    this.#saving = this.#keep(content, keepalive && isSmall(content));
    await this.#saving;
    this.#saving = undefined;
    if (this.#isDirty) {
      if (this.read().content !== content) this.#saveSoon();
    } else if (!this.#isInConflict) {
      if (this.#sending === undefined) this.#kept.drop();
      this.show({ state: stateOf(this.read().content) });
    }
  }

  #put(content: DraftContent, keepalive: boolean): Promise<Draft> {
    const put = (version: number) => this.#store.put(content, version, keepalive);
    return putOver(put, this.#version ?? this.#versionLeft ?? 0, this.#unconfirmed);
  }

  async #keep(content: DraftContent, keepalive: boolean): Promise<void> {
    try {
      if (!isNothing(content)) this.#note(await this.#put(content, keepalive));
      else {
        // A save whose answer was lost may have created a draft.
        if (this.#version !== 0 || this.#unconfirmed.some((one) => !isNothing(one)))
          await this.#store.remove(keepalive);
        this.#note(null);
      }
    } catch (error) {
      this.#isDirty = true;
      this.#onFault(error, content);
    }
  }

  #onFault(error: unknown, content: DraftContent): void {
    if (error instanceof ApiError && error.key === 'draft.newer') {
      this.#meet(error.params.draft as Draft);
    } else if (error instanceof ApiError && error.key === 'draft.not_found') {
      if (isNothing(content)) this.#note(null);
      else this.meetNothing();
    } else {
      // A text that is being sent has left the composer, which stays as it is.
      if (this.#sending === undefined) this.show({ state: 'unsaved' });
      this.#timer ??= setTimeout(() => void this.#save(false), retryAfter(this.#faults++));
    }
  }

  #meet(draft: Draft | null): void {
    this.#draftId = draft?.id;
    this.#version ??= 0;
    this.#otherVersion = draft?.version ?? 0;
    this.show({ state: 'conflict', other: draft === null ? null : contentOf(draft) });
  }

  #note(draft: Draft | null): void {
    this.#version = draft?.version ?? 0;
    this.#draftId = draft?.id;
    this.#unconfirmed = [];
    this.#unsent = undefined;
    this.#faults = 0;
  }

  #adopt(draft: Draft | null): void {
    this.#note(draft);
    const content = draft === null ? nothingWritten : contentOf(draft);
    const { content: before, revision } = this.read();
    const isSame = isSameContent(before, content) && before.bodyHtml === content.bodyHtml;
    this.show({ content, state: stateOf(content), revision: isSame ? revision : revision + 1 });
  }

  #buffer(): void {
    const { content } = this.read();
    this.#kept.keep({
      content: this.#sending === undefined ? content : joined(this.#sending, content),
      version: this.#version ?? this.#versionLeft,
      unconfirmed: this.#unconfirmed,
      // If the tab dies now, it never gets the service's answer.
      unsent: this.#sending === undefined || this.#draftId === undefined ? this.#unsent : content,
    });
  }
}
