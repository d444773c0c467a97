import { Watched } from '../../lib/watched.ts';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import type { Draft } from '../queries.ts';
import { isUnanswered } from '../until-answered.ts';
import { DraftBuffer } from './draft-buffer.ts';
import {
  belowReturned,
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
import {
  type DraftStore,
  draftIn,
  isTicketGone,
  type PerhapsSent,
  retryAfter,
  type Seen,
  seenOf,
  whatIs,
} from './lost-saves.ts';
import { ServiceDraft } from './service-draft.ts';

/** The longest time before text is saved at the service, also during typing. */
const saveAfterMs = 1_000;

/** Saves one draft: in this browser at each key press, at the service within a second. */
export class DraftKeeper extends Watched<DraftSnapshot> {
  #kept: DraftBuffer;
  #known: ServiceDraft;
  /** The service's first answer, if it came while a text was being sent. */
  #toldLate: Draft | null | undefined;
  #isDirty = false;
  #saving: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** In a conflict, the draft that the service has. */
  #other: Draft | null = null;
  /** The text that is being sent. Nothing is saved meanwhile. */
  #sending: DraftContent | undefined;
  /** The draft of the text that is being sent, once the service is told of it. */
  #named: { draftId: string; draftVersion: number } | undefined;
  #perhapsSent: PerhapsSent | undefined;
  #isClosed = false;
  /** Failed saves since the last successful save. */
  #faults = 0;

  /** @param tab the tab that keeps the text in this browser: by default this tab */
  constructor(store: DraftStore, key: string, tab?: string) {
    super({ content: nothingWritten, state: 'empty', other: null, revision: 0 });
    this.#kept = new DraftBuffer(key, tab, () => this.#yieldLeft());
    const { left } = this.#kept;
    this.#known = new ServiceDraft(store, left, () => this.#buffer());
    if (left !== null) {
      this.#isDirty = true;
      this.#perhapsSent = left.perhapsSent;
      this.show({ content: { ...nothingWritten, ...left.content }, state: 'unsaved' });
    }
  }

  /** Shows no text that another tab may be sending, as the writer would write below it. */
  #yieldLeft(): void {
    if (this.#known.isTold) return;
    this.#adopt(null);
    this.#known.forget();
  }

  get isIdle(): boolean {
    return !this.#isDirty && this.#saving === undefined && !this.#isHeld;
  }

  get #isHeld(): boolean {
    return this.#isClosed || this.#sending !== undefined;
  }

  /** Whether there is text that was written before the service's first answer. */
  get isAhead(): boolean {
    return this.#isDirty && !this.#known.isTold;
  }

  /** Whether its text stands on this draft, as the service has it. */
  holds(draft: Draft): boolean {
    return !this.#isInConflict && !this.#isHeld && this.#known.isSeen(draft);
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
    if (this.#known.isTold) {
      if (this.isIdle && !this.#known.isSeen(draft)) this.#adopt(draft);
    } else if (this.#sending !== undefined) this.#toldLate = draft;
    else this.#learn(draft);
  };

  /** Brings the text together with the draft that the service has: at its first answer, or instead of the seen one. */
  #learn(draft: Draft | null): void {
    const { content } = this.read();
    const { seen, unconfirmed } = this.#known;
    const found = whatIs(draft, { content, seen, unconfirmed, perhapsSent: this.#perhapsSent });
    if (found === 'sent') this.#dropSent(draft, this.#perhapsSent?.rest ?? nothingWritten);
    else if (!this.#isDirty || !this.#kept.claim()) this.#adopt(draft);
    else if (found === 'ours') {
      this.#note(draft);
      this.#buffer();
      this.#saveSoon();
    } else if (found === 'joinable' && draft !== null) {
      this.#note(draft);
      this.replace(joined(contentOf(draft), content));
    } else if (!this.#joinReturned(draft)) this.#meet(draft);
  }

  /** Joins the text below a scheduled reply that has come back. @returns false if the draft is another */
  #joinReturned(draft: Draft | null): boolean {
    const { saved, seen } = this.#known;
    if (draft === null || saved === undefined || draft.id !== seen?.draftId) return false;
    const content = belowReturned(contentOf(draft), saved, this.read().content);
    if (content === undefined) return false;
    this.#note(draft);
    this.replace(content);
    showToast(words('schedule.back'));
    return true;
  }

  /** Drops a text that was sent, although the answer was lost. What was written meanwhile stays. */
  #dropSent(draft: Draft | null, rest: DraftContent): void {
    this.#isDirty = false;
    this.#adopt(draft);
    this.#kept.drop();
    if (!isNothing(rest)) this.replace(joined(this.read().content, rest));
  }

  /** Takes a change by the writer. */
  change(patch: Partial<DraftContent>): void {
    this.#isDirty = true;
    if (this.#perhapsSent !== undefined && !this.#isHeld) this.#perhapsSent = { draftId: this.#perhapsSent.draftId };
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
    this.#note(this.#other);
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

  /** Empties the composer when a text is sent. The browser keeps the text until the service has answered. */
  beginSend(): void {
    const { content, revision } = this.read();
    this.#sending = content;
    this.#isDirty = false;
    this.show({ content: nothingWritten, state: 'empty', revision: revision + 1 });
    this.#buffer();
  }

  /**
   * Names the draft of the text that is being sent, and saves it first where needed. The service deletes the draft when
   * it sends the text. So a draft that still exists shows that the text was not sent, whichever answers were lost. It
   * has the whole text: whoever discards it in another tab has seen what they discard.
   * @throws where the draft cannot be saved
   */
  async draftOfSent(): Promise<{ draftId?: string; draftVersion?: number }> {
    await this.#saving;
    if (this.#named === undefined && this.#sending !== undefined) {
      const { draftId, version } = await this.#seenOfSent(this.#sending);
      if (draftId !== undefined) this.#named = { draftId, draftVersion: version };
      this.#buffer();
    }
    return this.#named ?? {};
  }

  async #seenOfSent(text: DraftContent): Promise<Seen> {
    const seen = this.#perhapsSent === undefined ? this.#known.seenWith(text) : undefined;
    if (seen !== undefined) return seen;
    this.#known.expect(text);
    this.#buffer();
    const draft = await this.#known.put(text, false);
    this.#note(draft);
    return seenOf(draft);
  }

  /** The text is sent. */
  endSend(): void {
    this.#sending = undefined;
    this.#named = undefined;
    this.#note(null);
    if (this.#isDirty) this.#buffer();
    else this.#kept.drop();
    this.#saveSoon();
  }

  /** The text could not be sent, as far as this page knows. It returns above the text written meanwhile. */
  refuseSend(text: DraftContent, error: unknown): void {
    const isRefused = this.#named !== undefined && !isUnanswered(error);
    const perhapsSent = isRefused ? undefined : this.#perhapsSentNow;
    this.#sending = undefined;
    this.#named = undefined;
    this.replace(joined(text, this.read().content));
    this.#perhapsSent = perhapsSent;
    this.#buffer();
    const draft = draftIn(error);
    if (draft !== undefined) this.#learn(draft);
    else if (this.isAhead && this.#toldLate !== undefined) this.#learn(this.#toldLate);
  }

  /** What the service may have sent if this tab never gets another answer. */
  get #perhapsSentNow(): PerhapsSent | undefined {
    const { content } = this.read();
    if (this.#named !== undefined) return { draftId: this.#named.draftId, rest: content };
    if (this.#sending === undefined || this.#perhapsSent?.rest === undefined) return this.#perhapsSent;
    return { ...this.#perhapsSent, rest: joined(this.#perhapsSent.rest, content) };
  }

  #saveSoon(): void {
    if (!this.#isDirty || this.#timer !== undefined || this.#isHeld) return;
    this.#timer = setTimeout(() => void this.#save(false), saveAfterMs);
  }

  async #save(keepalive: boolean): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#saving !== undefined || !this.#known.isTold) return;
    if (this.#isHeld || this.#isInConflict || !this.#isDirty) return;
    const { content } = this.read();
    this.#isDirty = false;
    this.#known.expect(content);
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

  async #keep(content: DraftContent, keepalive: boolean): Promise<void> {
    try {
      this.#note(await (isNothing(content) ? this.#known.remove(keepalive) : this.#known.put(content, keepalive)));
    } catch (error) {
      // A text that is being sent has left the composer, which stays as it is. Sending saves the text again.
      if (this.#sending === undefined) this.#onFault(error);
    }
  }

  #onFault(error: unknown): void {
    this.#isDirty = true;
    const draft = draftIn(error);
    if (draft !== undefined) this.#learn(draft);
    else {
      this.show({ state: 'unsaved' });
      // The browser keeps the text, which the next change or visit saves.
      if (!isTicketGone(error)) this.#timer ??= setTimeout(() => void this.#save(false), retryAfter(this.#faults++));
    }
  }

  #meet(draft: Draft | null): void {
    this.#known.isTold = true;
    this.#other = draft;
    this.show({ state: 'conflict', other: draft === null ? null : contentOf(draft) });
  }

  #note(draft: Draft | null): void {
    this.#known.note(draft);
    this.#perhapsSent = undefined;
    this.#faults = 0;
  }

  #adopt(draft: Draft | null): void {
    this.#note(draft);
    this.#isDirty = false;
    const content = draft === null ? nothingWritten : contentOf(draft);
    const { content: before, revision } = this.read();
    const isSame = isSameContent(before, content) && before.bodyHtml === content.bodyHtml;
    this.show({ content, state: stateOf(content), revision: isSame ? revision : revision + 1 });
  }

  #buffer(): void {
    const { content } = this.read();
    const { seen, unconfirmed, beginKey } = this.#known;
    this.#kept.keep({
      content: this.#sending === undefined ? content : joined(this.#sending, content),
      ...{ seen, unconfirmed, beginKey },
      perhapsSent: this.#perhapsSentNow,
    });
  }
}
