import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { savedRepliesQuery } from '../../replies/queries.ts';
import { usePlace } from '../../session/Guard.tsx';
import { words } from '../../words/words.ts';
import { Suggestions, suggestionId } from '../recipients/Suggestions.tsx';
import { NoReplies } from './NoReplies.tsx';
import styles from './ReplyList.module.css';

const shownMax = 8;
const listId = 'reply-picker';

type Props = {
  onChoose: (savedReplyId: string) => void;
  /** @param isDone whether the cursor goes back to the text */
  onClose: (isDone: boolean) => void;
};

/** Finds a saved reply, above the toolbar. It types nothing into the text. */
export function ReplyPicker({ onChoose, onClose }: Props) {
  const { workspace } = usePlace();
  const [search, setSearch] = useState('');
  const [index, setIndex] = useState(0);
  const { data } = useQuery(savedRepliesQuery(workspace.id, search.trim(), 'used'));
  const found = (data ?? []).slice(0, shownMax);
  const choose = (place: number) => {
    const chosen = found[place];
    if (chosen === undefined) return;
    onClose(true);
    onChoose(chosen.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const by = { ArrowDown: 1, ArrowUp: found.length - 1 }[event.key];
    if (by !== undefined) setIndex((index + by) % Math.max(found.length, 1));
    else if (event.key === 'Enter') choose(index);
    else if (event.key === 'Escape') onClose(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: closes once the focus has left all of its parts
    <div
      className={styles.picker}
      onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || onClose(false)}
    >
      {found.length > 0 && (
        <Suggestions
          id={listId}
          label={words('replies.list')}
          items={found.map(({ id, name, shortcut }) => ({
            key: id,
            text: name,
            detail: shortcut === null ? undefined : `;;${shortcut}`,
          }))}
          index={index}
          onChoose={choose}
          opens="here"
        />
      )}
      {data?.length === 0 && (search === '' ? <NoReplies /> : <p className={styles.none}>{words('picker.nothing')}</p>)}
      <input
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for the replies
        autoFocus
        type="text"
        role="combobox"
        dir="auto"
        autoComplete="off"
        aria-label={words('replies.search')}
        aria-expanded={found.length > 0}
        aria-controls={listId}
        aria-activedescendant={found.length > 0 ? suggestionId(listId, index) : undefined}
        placeholder={words('replies.search')}
        value={search}
        onChange={({ target }) => {
          setSearch(target.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
