import { useQuery } from '@tanstack/react-query';
import { createElement, type KeyboardEvent, useState } from 'react';
import { Link } from 'wouter';
import { paths } from '../../paths.ts';
import { type ListedReply, type ReplyFor, replyPreviewQuery, savedRepliesQuery } from '../../replies/queries.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { KeyCap } from '../../ui/KeyCap.tsx';
import { words } from '../../words/words.ts';
import { Suggestions, suggestionId } from '../recipients/Suggestions.tsx';
import { NoReplies } from './NoReplies.tsx';
import styles from './ReplyList.module.css';

const shownMax = 8;
const listId = 'reply-picker';

type Props = {
  replyFor: ReplyFor;
  onChoose: (savedReplyId: string) => void;
  /** @param isDone whether the cursor goes back to the text */
  onClose: (isDone: boolean) => void;
};

/** Finds a saved reply, above the toolbar. It types nothing into the text. */
export function ReplyPicker({ replyFor, onChoose, onClose }: Props) {
  const { workspace } = usePlace();
  const [search, setSearch] = useState('');
  const [index, setIndex] = useState(0);
  const { data } = useQuery(savedRepliesQuery(workspace.id, search.trim(), 'used'));
  const best = (data ?? []).slice(0, shownMax);
  const found = [...best.filter(({ isShared }) => isShared), ...best.filter(({ isShared }) => !isShared)];
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
  const hasGroups = found[0]?.isShared !== found.at(-1)?.isShared;
  const shown = found[index];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: closes once the focus has left all of its parts
    <div
      className={styles.picker}
      onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || onClose(false)}
    >
      <div className={styles.search}>
        <Icon name="search" />
        <input
          className="bare-field"
          // biome-ignore lint/a11y/noAutofocus: the person has just asked for the replies
          autoFocus
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
        <KeyCap keys=";;" />
      </div>
      {found.length > 0 && (
        <Suggestions
          id={listId}
          label={words('replies.list')}
          items={found.map((reply) => lineOf(reply, hasGroups))}
          index={index}
          onChoose={choose}
          opens="here"
        />
      )}
      {shown !== undefined && <Preview reply={shown} replyFor={replyFor} />}
      {data?.length === 0 && (search === '' ? <NoReplies /> : <p className={styles.none}>{words('picker.nothing')}</p>)}
      {found.length > 0 && <Foot />}
    </div>
  );
}

function lineOf({ id, name, shortcut, isShared }: ListedReply, hasGroups: boolean) {
  return {
    ...{ key: id, text: name, detail: shortcut === null ? undefined : `;;${shortcut}` },
    group: hasGroups ? words(isShared ? 'replies.shared' : 'replies.own') : undefined,
  };
}

function Foot() {
  return (
    <div className={styles.foot}>
      <span>
        <KeyCap keys="Enter" /> {words('replies.insert')}
      </span>
      <Link href={`${paths.settings('replies')}?reply=new`} onMouseDown={(event) => event.preventDefault()}>
        <Icon name="plus" />
        {words('replies.new')}
      </Link>
    </div>
  );
}

/** The text as it goes into the answer. A variable without a value stands out. */
function Preview({ reply: { id, useCount }, replyFor }: { reply: ListedReply; replyFor: ReplyFor }) {
  const { workspace } = usePlace();
  const { data } = useQuery(replyPreviewQuery(workspace.id, id, replyFor));
  return (
    <div className={styles.preview}>
      <p className={styles.label}>
        {words('replies.preview')}
        <span>{useCount > 0 && words('replies.uses', { count: useCount })}</span>
      </p>
      {createElement('p', { className: styles.text, dir: 'auto' }, ...withMarks(data?.body ?? ''))}
    </div>
  );
}

/** Every second part is a variable. */
const withMarks = (text: string) =>
  text
    .split(/\{\{([^{}]*)\}\}/)
    .map((part, at) => (at % 2 === 1 ? createElement('mark', { key: at }, part.trim()) : part));
