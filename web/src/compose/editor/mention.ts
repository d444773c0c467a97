import type { Editor } from '@tiptap/core';

export type Mentionable = { userId: string; name: string };

export type MentionQuery = { from: number; to: number; query: string };

/** The text after the last `@` before the cursor; null where the person is not typing a mention. */
export function mentionQueryOf(editor: Editor): MentionQuery | null {
  const { $from, empty } = editor.state.selection;
  if (!empty || !$from.parent.isTextblock) return null;
  // Other nodes count as one character, so that positions stay right.
  const before = $from.parent.textBetween(0, $from.parentOffset, undefined, '\ufffc');
  const query = /(?:^|[\s(])@([\p{L}\p{N}._-]{0,30}(?: [\p{L}\p{N}._-]{1,30})?)$/u.exec(before)?.[1];
  return query === undefined ? null : { from: $from.pos - query.length - 1, to: $from.pos, query };
}

export function insertMention(
  editor: Editor,
  { from, to }: MentionQuery,
  attrs: { userId: string; name: string },
): void {
  editor
    .chain()
    .focus()
    .insertContentAt({ from, to }, [
      { type: 'mention', attrs },
      { type: 'text', text: ' ' },
    ])
    .run();
}

type KeyTaker = (event: KeyboardEvent) => boolean;
const takers: KeyTaker[] = [];

/** Lets an open list of people handle its keys before the editor. */
export function takeMentionKey(event: KeyboardEvent): boolean {
  return takers.at(-1)?.(event) ?? false;
}

export function isMentioning(): boolean {
  return takers.length > 0;
}

/** @returns a function that stops taking keys */
export function takeKeys(taker: KeyTaker): () => void {
  takers.push(taker);
  return () => {
    takers.splice(takers.indexOf(taker), 1);
  };
}
