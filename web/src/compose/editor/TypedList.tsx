import type { Editor } from '@tiptap/core';
import { type ReactNode, useEffect, useState } from 'react';
import { Suggestions, suggestionId } from '../recipients/Suggestions.tsx';
import { type TypedQuery, takeKeys, typedQueryOf } from './typed-list.ts';

type Item = { key: string; text: string; detail?: string | undefined; face?: ReactNode };

type Props<Choice extends Item> = {
  editor: Editor;
  id: string;
  label: string;
  /** The end of a line that asks for a choice, from the characters that ask, with the query as its group. */
  pattern: RegExp;
  /** The choices for a query, the best first; undefined while they load. */
  useFound: (query: string | undefined) => readonly Choice[] | undefined;
  onChoose: (choice: Choice, at: TypedQuery) => void;
  /** Stands in the list's place where there is no choice at all. */
  none?: ReactNode;
};

/** The choices for the text before the cursor. The editor keeps the focus; arrow keys, ⏎ and ⇥ choose. */
export function TypedList<Choice extends Item>({
  editor,
  id,
  label,
  pattern,
  useFound,
  onChoose,
  none,
}: Props<Choice>) {
  const [at, setAt] = useState<TypedQuery | null>(null);
  const [index, setIndex] = useState(0);
  const [dismissed, setDismissed] = useState<number>();
  useEffect(() => {
    const look = () => {
      setAt(editor.isFocused ? typedQueryOf(editor, pattern) : null);
      setIndex(0);
    };
    editor.on('transaction', look).on('blur', look);
    return () => {
      editor.off('transaction', look).off('blur', look);
    };
  }, [editor, pattern]);
  const asked = at === null || at.from === dismissed ? undefined : at;
  const loaded = useFound(asked?.query);
  const found = loaded ?? [];
  const choose = (choice: Choice | undefined) => {
    if (asked !== undefined && choice !== undefined) onChoose(choice, asked);
  };
  useEffect(() => {
    if (found.length === 0) return;
    return takeKeys(({ key }) => {
      if (key === 'ArrowDown' || key === 'ArrowUp')
        setIndex((index + (key === 'ArrowDown' ? 1 : found.length - 1)) % found.length);
      else if (key === 'Enter' || key === 'Tab') choose(found[index]);
      else if (key === 'Escape') setDismissed(asked?.from);
      else return false;
      return true;
    });
  });
  const isOpen = found.length > 0;
  useEffect(() => {
    const { dom } = editor.view;
    if (!isOpen) return;
    dom.setAttribute('aria-controls', id);
    dom.setAttribute('aria-activedescendant', suggestionId(id, index));
    return () => {
      dom.removeAttribute('aria-controls');
      dom.removeAttribute('aria-activedescendant');
    };
  }, [editor, id, isOpen, index]);
  if (!isOpen) return asked?.query === '' && loaded !== undefined ? none : null;
  return (
    <Suggestions
      id={id}
      label={label}
      items={found}
      index={index}
      onChoose={(place) => choose(found[place])}
      opens="up"
    />
  );
}
