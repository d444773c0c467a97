import { ApiError } from '../api/client.ts';
import { contentOf, type DraftContent, isSameContent } from './draft-content.ts';
import type { Draft } from './queries.ts';

const savesMax = 10;

/** Adds a save that the service may have without this browser knowing it. */
export function withSave(saves: readonly DraftContent[], content: DraftContent): DraftContent[] {
  return [...saves.slice(-savesMax), content];
}

/** Whether the draft is one of these saves, whose answer was lost. */
export function isOwnSave(draft: Draft, saves: readonly DraftContent[]): boolean {
  return saves.some((save) => isSameContent(contentOf(draft), save));
}

/** The newer draft by which the service refused a save, where it is an own earlier save. */
export function ownSaveIn(error: unknown, saves: readonly DraftContent[]): Draft | undefined {
  if (!(error instanceof ApiError) || error.key !== 'draft.newer') return undefined;
  const draft = error.params.draft as Draft;
  return isOwnSave(draft, saves) ? draft : undefined;
}
