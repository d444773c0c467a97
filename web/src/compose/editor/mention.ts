import type { Editor } from '@tiptap/core';
import type { TypedQuery } from './typed-list.ts';

export type Mentionable = { userId: string; name: string };

export const mentionPattern = /(?<=^|[\s(])@([\p{L}\p{N}._-]{0,30}(?: [\p{L}\p{N}._-]{1,30})?)$/u;

export function insertMention(editor: Editor, { from, to }: TypedQuery, attrs: { userId: string; name: string }): void {
  editor
    .chain()
    .focus()
    .insertContentAt({ from, to }, [
      { type: 'mention', attrs },
      { type: 'text', text: ' ' },
    ])
    .run();
}
