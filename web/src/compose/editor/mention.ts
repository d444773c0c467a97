import type { Editor } from '@tiptap/core';

export type Mentionable = { userId: string; name: string };

export type MentionQuery = { from: number; to: number; query: string };

/** What is written behind the last `@` before the cursor; null where nobody is being mentioned. */
export function mentionQueryOf(editor: Editor): MentionQuery | null {
  const { $from, empty } = editor.state.selection;
  if (!empty || !$from.parent.isTextblock) return null;
  // Other nodes count as one sign, so that places stay right.
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

/** An open list of people takes the keys that move in it before the editor does. */
export function takeMentionKey(event: KeyboardEvent): boolean {
  return takers.at(-1)?.(event) ?? false;
}

export function isMentioning(): boolean {
  return takers.length > 0;
}

/** @returns what ends it */
export function takeKeys(taker: KeyTaker): () => void {
  takers.push(taker);
  return () => {
    takers.splice(takers.indexOf(taker), 1);
  };
}
