import { useQuery } from '@tanstack/react-query';
import type { Editor } from '@tiptap/core';
import { useLocale } from '../../../ui/language.ts';
import { words } from '../../../words/words.ts';
import { TypedList } from '../TypedList.tsx';
import { emojiQuery, findEmoji } from './emoji.ts';

const shownMax = 6;
/** After a word, a colon is only a colon: “Re:in”, “10:30”. */
const pattern = /(?<=^|[\s(]):([\p{L}+][\p{L}\p{N}_+-]{1,30}:?)$/u;

/** The emoji that match the text after a colon, such as `:smile`. */
export function EmojiList({ editor }: { editor: Editor }) {
  return (
    <TypedList
      editor={editor}
      id="emoji-list"
      label={words('format.emoji')}
      pattern={pattern}
      useFound={useTyped}
      onChoose={({ key: emoji }, { from, to }) =>
        editor.chain().focus().insertContentAt({ from, to }, { type: 'text', text: emoji }).run()
      }
    />
  );
}

function useTyped(query: string | undefined) {
  const all = useQuery({ ...emojiQuery(useLocale()), enabled: query !== undefined }).data ?? [];
  if (query === undefined) return [];
  return findEmoji(all, query.replace(':', ''), shownMax).map(([emoji, name]) => ({
    key: emoji,
    text: `${emoji}\u2002${name}`,
  }));
}
