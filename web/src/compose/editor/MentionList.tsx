import type { Editor } from '@tiptap/core';
import { Avatar } from '../../ui/Avatar.tsx';
import { words } from '../../words/words.ts';
import { insertMention, type Mentionable, mentionPattern } from './mention.ts';
import { TypedList } from './TypedList.tsx';

const shownMax = 6;

/** The colleagues whose names match the text after `@`. */
export function MentionList({ editor, members }: { editor: Editor; members: readonly Mentionable[] }) {
  return (
    <TypedList
      editor={editor}
      id="mention-list"
      label={words('compose.mention')}
      pattern={mentionPattern}
      useFound={(query) => (query === undefined ? [] : matching(members, query))}
      onChoose={({ key: userId, text: name }, at) => insertMention(editor, at, { userId, name })}
    />
  );
}

function matching(members: readonly Mentionable[], query: string) {
  const wanted = query.toLocaleLowerCase();
  return members
    .filter(({ name }) =>
      name
        .toLocaleLowerCase()
        .split(/\s+/)
        .some((_, word, parts) => parts.slice(word).join(' ').startsWith(wanted)),
    )
    .slice(0, shownMax)
    .map(({ userId, name }) => ({
      ...{ key: userId, text: name },
      face: <Avatar name={name} of={userId} isTeam size={20} />,
    }));
}
