import type { Editor } from '@tiptap/core';
import { useEffect, useState } from 'react';
import { words } from '../../words/words.ts';
import { Suggestions, suggestionId } from '../recipients/Suggestions.tsx';
import { insertMention, type Mentionable, type MentionQuery, mentionQueryOf, takeKeys } from './mention.ts';

const shownMax = 6;
const listId = 'mention-list';

/** The colleagues whose names match the text after `@`. */
export function MentionList({ editor, members }: { editor: Editor; members: readonly Mentionable[] }) {
  const [at, setAt] = useState<MentionQuery | null>(null);
  const [index, setIndex] = useState(0);
  const [dismissed, setDismissed] = useState<number>();
  useEffect(() => {
    const look = () => {
      setAt(editor.isFocused ? mentionQueryOf(editor) : null);
      setIndex(0);
    };
    editor.on('transaction', look).on('blur', look);
    return () => {
      editor.off('transaction', look).off('blur', look);
    };
  }, [editor]);
  const found = at === null || at.from === dismissed ? [] : matching(members, at.query);
  const choose = (member: Mentionable | undefined) => {
    if (at !== null && member !== undefined) insertMention(editor, at, { userId: member.userId, name: member.name });
  };
  useEffect(() => {
    if (found.length === 0) return;
    return takeKeys(({ key }) => {
      if (key === 'ArrowDown' || key === 'ArrowUp')
        setIndex((index + (key === 'ArrowDown' ? 1 : found.length - 1)) % found.length);
      else if (key === 'Enter' || key === 'Tab') choose(found[index]);
      else if (key === 'Escape') setDismissed(at?.from);
      else return false;
      return true;
    });
  });
  const isOpen = found.length > 0;
  useEffect(() => {
    const { dom } = editor.view;
    if (!isOpen) return;
    dom.setAttribute('aria-controls', listId);
    dom.setAttribute('aria-activedescendant', suggestionId(listId, index));
    return () => {
      dom.removeAttribute('aria-controls');
      dom.removeAttribute('aria-activedescendant');
    };
  }, [editor, isOpen, index]);
  if (!isOpen) return null;
  return (
    <Suggestions
      id={listId}
      label={words('compose.mention')}
      items={found.map(({ userId, name }) => ({ key: userId, text: name }))}
      index={index}
      onChoose={(place) => choose(found[place])}
      opens="up"
    />
  );
}

function matching(members: readonly Mentionable[], query: string): Mentionable[] {
  const wanted = query.toLocaleLowerCase();
  return members
    .filter(({ name }) =>
      name
        .toLocaleLowerCase()
        .split(/\s+/)
        .some((_, word, parts) => parts.slice(word).join(' ').startsWith(wanted)),
    )
    .slice(0, shownMax);
}
