import { ApiError } from '../api/client.ts';
import { contentOf, type DraftContent, isSameContent } from './draft-content.ts';
import type { Draft } from './queries.ts';

const savesMax = 10;
const retryAfterMs = 2_000;
const retryAfterMsMax = 60_000;

/** How long a save waits before it is repeated. */
export function retryAfter(faults: number): number {
  return Math.min(retryAfterMs * 2 ** faults, retryAfterMsMax);
}

/** Adds a save that the service may have without this browser knowing it. */
export function withSave(saves: readonly DraftContent[], content: DraftContent): DraftContent[] {
  return [...saves.slice(-savesMax), content];
}

/** Whether the draft is one of these saves, whose answer was lost. */
export function isOwnSave(draft: Draft, saves: readonly DraftContent[]): boolean {
  return saves.some((save) => isSameContent(contentOf(draft), save));
}

/** Saves upon a version. A save whose answer was lost meets itself, and goes on from there. */
export async function putOver(
  put: (version: number) => Promise<Draft>,
  version: number,
  saves: readonly DraftContent[],
): Promise<Draft> {
  try {
    return await put(version);
  } catch (error) {
    if (!(error instanceof ApiError) || error.key !== 'draft.newer') throw error;
    const draft = error.params.draft as Draft;
    if (!isOwnSave(draft, saves)) throw error;
    return put(draft.version);
  }
}
