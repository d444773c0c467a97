import { ApiError } from '../../api/client.ts';
import type { Draft } from '../queries.ts';
import { areJoinable, contentOf, type DraftContent, isNothing, isSameContent } from './draft-content.ts';

/** The draft at the service as a page saw it last: version 0 without a draft. */
export type Seen = { draftId?: string; version: number };

/** A text that the service may have sent, although its answer is missing. */
export type PerhapsSent = {
  /** The draft of the text. Once it is gone, the text was sent. */
  draftId: string;
  /** What was written meanwhile; undefined if the writer has changed the text since, so that the two are not apart. */
  rest?: DraftContent | undefined;
};

/** A draft that the service has not confirmed yet. */
export type Buffered = {
  content: DraftContent;
  /** The draft under this text; undefined if the service had not answered yet. */
  seen?: Seen | undefined;
  /** Saves without an answer, which the service may have stored. */
  unconfirmed: DraftContent[];
  perhapsSent?: PerhapsSent | undefined;
  /** The key under which a save may begin the draft; undefined if an earlier release kept the text. */
  beginKey?: string | undefined;
};

/** The place at the service that stores a draft. Throws 409 `draft.newer` if the draft is not the seen one. */
export type DraftStore = {
  /**
   * Throws 404 `draft.not_found` if the seen draft is gone, or, without a seen draft, the one begun under the key.
   * @param beginKey begins at most one draft, so that a late save of a dead tab does not begin a sent draft again
   */
  put(content: DraftContent, seen: Seen, keepalive: boolean, beginKey: string): Promise<Draft>;
  remove(seen: Seen, keepalive: boolean): Promise<void>;
};

const savesMax = 10;
const retryAfterMs = 2_000;
const retryAfterMsMax = 60_000;

/** How long to wait before the next attempt of a save. */
export function retryAfter(faults: number): number {
  return Math.min(retryAfterMs * 2 ** faults, retryAfterMsMax);
}

export function seenOf(draft: Draft | null): Seen {
  return draft === null ? { version: 0 } : { draftId: draft.id, version: draft.version };
}

export function isSeen(draft: Draft | null, { draftId = draft?.id, version }: Seen = seenOf(null)): boolean {
  return (draft?.version ?? 0) === version && draft?.id === draftId;
}

/** Adds a save without an answer yet, which the service may have stored. */
export function withSave(saves: readonly DraftContent[], content: DraftContent): DraftContent[] {
  return [...saves.slice(-savesMax), content];
}

/** Whether the service has one of our own saves whose answer was lost. Saving an empty text deletes the draft. */
function isOwnSave(draft: Draft | null, saves: readonly DraftContent[]): boolean {
  return saves.some((save) => (draft === null ? isNothing(save) : isSameContent(contentOf(draft), save)));
}

/**
 * What the service's draft, or its absence, tells of the text here.
 * - `sent`: the text was sent, although the answer was lost.
 * - `ours`: no other tab has made it, so the text may be saved over it.
 * - `joinable`: the writer has not seen it, and their text can be joined below it.
 * - `other`: another tab has changed, sent or discarded it, so the writer chooses.
 */
export function whatIs(
  draft: Draft | null,
  { content, seen, unconfirmed, perhapsSent }: Buffered,
): 'sent' | 'ours' | 'joinable' | 'other' {
  const isSent = perhapsSent !== undefined && draft?.id !== perhapsSent.draftId;
  if (isSent) return perhapsSent.rest === undefined ? 'other' : 'sent';
  const isSame = draft !== null && isSameContent(contentOf(draft), content);
  if (isSame || isSeen(draft, seen) || isOwnSave(draft, unconfirmed)) return 'ours';
  return draft !== null && seen === undefined && areJoinable(contentOf(draft), content) ? 'joinable' : 'other';
}

/** The draft that the service has instead of the seen one, null without a draft; undefined after any other error. */
export function draftIn(error: unknown): Draft | null | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.key === 'draft.not_found') return null;
  return error.key === 'draft.newer' ? (error.params.draft as Draft) : undefined;
}

/** Whether its ticket is gone, or hidden from the writer: no later save would succeed. */
export function isTicketGone(error: unknown): boolean {
  return error instanceof ApiError && error.key === 'ticket.not_found';
}

/** Deletes a draft, also if that was done already: by another tab, or by a request whose answer was lost. */
export async function evenIfGone(removal: Promise<unknown>): Promise<void> {
  await removal.catch((error: unknown) => {
    if (draftIn(error) !== null) throw error;
  });
}

/** Changes the seen draft. If the service has one of our own lost saves instead, changes that. */
export async function overOwn<Result>(
  change: (seen: Seen) => Promise<Result>,
  seen: Seen,
  saves: readonly DraftContent[],
): Promise<Result> {
  try {
    return await change(seen);
  } catch (error) {
    const draft = draftIn(error);
    if (draft === undefined || isSeen(draft, seen) || !isOwnSave(draft, saves)) throw error;
    return overOwn(change, seenOf(draft), saves);
  }
}

/** Begins a draft under a new key where the one that an earlier save began was sent or discarded since. */
export function beginningAnew(
  put: (seen: Seen) => Promise<Draft>,
  renewKey: () => void,
): (seen: Seen) => Promise<Draft> {
  return (seen) =>
    put(seen).catch((error: unknown) => {
      if (seen.version > 0 || draftIn(error) !== null) throw error;
      renewKey();
      return put(seen);
    });
}
