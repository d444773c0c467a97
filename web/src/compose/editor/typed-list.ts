import type { Editor } from '@tiptap/core';

/** Typed text that asks for a choice, such as `@ann`, and its place in the document. */
export type TypedQuery = { from: number; to: number; query: string };

/**
 * The text before the cursor that asks for a choice; null where there is none.
 * @param pattern matches the end of a line from the characters that ask, and has the query as its group
 */
export function typedQueryOf(editor: Editor, pattern: RegExp): TypedQuery | null {
  const { $from, empty } = editor.state.selection;
  if (!empty || !$from.parent.isTextblock) return null;
  // Other nodes count as one character, so that positions stay right.
  const before = $from.parent.textBetween(0, $from.parentOffset, undefined, '\ufffc');
  const [asking = '', query] = pattern.exec(before) ?? [];
  return query === undefined ? null : { from: $from.pos - asking.length, to: $from.pos, query };
}

type KeyTaker = (event: KeyboardEvent) => boolean;
const takers: KeyTaker[] = [];

/** Lets an open list handle its keys before the editor. */
export function takeListKey(event: KeyboardEvent): boolean {
  return takers.at(-1)?.(event) ?? false;
}

export function isListOpen(): boolean {
  return takers.length > 0;
}

/** @returns a function that stops taking keys */
export function takeKeys(taker: KeyTaker): () => void {
  takers.push(taker);
  return () => {
    takers.splice(takers.indexOf(taker), 1);
  };
}
