import { ApiError } from '../../api/client.ts';
import type { Draft } from '../queries.ts';
import { contentOf, type DraftContent, isSameContent } from './draft-content.ts';

const savesMax = 10;
const retryAfterMs = 2_000;
const retryAfterMsMax = 60_000;

/** How long to wait before the next attempt of a save. */
export function retryAfter(faults: number): number {
  return Math.min(retryAfterMs * 2 ** faults, retryAfterMsMax);
}

/** Adds a save without an answer yet, which the service may have stored. */
export function withSave(saves: readonly DraftContent[], content: DraftContent): DraftContent[] {
  return [...saves.slice(-savesMax), content];
}

/** Whether the service's draft is one of our own saves whose answer was lost. */
export function isOwnSave(draft: Draft, saves: readonly DraftContent[]): boolean {
  return saves.some((save) => isSameContent(contentOf(draft), save));
}

/** Saves over a version. If the newer draft at the service is our own lost save, saves over that draft. */
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
