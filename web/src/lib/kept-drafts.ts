/** Begins the names of unsaved drafts in the storage of the browser. */
export const draftPrefix = 'kontor.draft ';

/** The names of the unsaved drafts that any tab of this browser keeps. */
export function keptDrafts(): string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(draftPrefix));
  } catch {
    return [];
  }
}
