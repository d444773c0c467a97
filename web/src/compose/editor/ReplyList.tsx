import { useQuery } from '@tanstack/react-query';
import type { Editor } from '@tiptap/core';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { type ReplyFor, renderReply, savedRepliesQuery } from '../../replies/queries.ts';
import { usePlace } from '../../session/Guard.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import type { DraftKeeper } from '../draft/draft-keeper.ts';
import { Suggestions, suggestionId } from '../recipients/Suggestions.tsx';
import { docOf } from './doc-of.ts';
import { NoReplies } from './NoReplies.tsx';
import { takeKeys } from './typed-list.ts';

const shownMax = 8;
const listId = 'reply-list';

type Typed = { from: number; to: number; search: string };
type Props = { editor: Editor; keeper: DraftKeeper; replyFor: ReplyFor };

/** The saved replies that match the text after `;;`. */
export function ReplyList({ editor, keeper, replyFor }: Props) {
  const { workspace } = usePlace();
  const [at, setAt] = useState<Typed | null>(null);
  const [index, setIndex] = useState(0);
  const [dismissed, setDismissed] = useState<number>();
  useEffect(() => {
    const look = () => {
      setAt(editor.isFocused ? typedIn(editor) : null);
      setIndex(0);
    };
    editor.on('transaction', look).on('blur', look);
    return () => {
      editor.off('transaction', look).off('blur', look);
    };
  }, [editor]);
  const isAsked = at !== null && at.from !== dismissed;
  const { data } = useQuery({ ...savedRepliesQuery(workspace.id, at?.search ?? '', 'used'), enabled: isAsked });
  const found = isAsked ? (data ?? []).slice(0, shownMax) : [];
  const choose = (id: string | undefined) => {
    if (at !== null && id !== undefined) void insertReply({ editor, keeper, replyFor }, workspace.id, id, at);
  };
  useEffect(() => {
    if (found.length === 0) return;
    return takeKeys(({ key }) => {
      if (key === 'ArrowDown' || key === 'ArrowUp')
        setIndex((index + (key === 'ArrowDown' ? 1 : found.length - 1)) % found.length);
      else if (key === 'Enter' || key === 'Tab') choose(found[index]?.id);
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
  if (!isOpen) return isAsked && at.search === '' && data?.length === 0 ? <NoReplies /> : null;
  return (
    <Suggestions
      id={listId}
      label={words('replies.list')}
      items={found.map(({ id, name, shortcut }) => ({
        key: id,
        text: name,
        detail: shortcut === null ? undefined : `;;${shortcut}`,
      }))}
      index={index}
      onChoose={(place) => choose(found[place]?.id)}
      opens="up"
    />
  );
}

/** The text after the last `;;` before the cursor; null where the person is not choosing a reply. */
function typedIn(editor: Editor): Typed | null {
  const { $from, empty } = editor.state.selection;
  if (!empty || !$from.parent.isTextblock) return null;
  const before = $from.parent.textBetween(0, $from.parentOffset, undefined, '\ufffc');
  const search = /(?:^|\s);;([\p{L}\p{N} ._-]{0,40})$/u.exec(before)?.[1];
  return search === undefined ? null : { from: $from.pos - search.length - 2, to: $from.pos, search };
}

export function insertAtCursor(props: Props, workspaceId: string, savedReplyId: string): void {
  const { from, to } = props.editor.state.selection;
  void insertReply(props, workspaceId, savedReplyId, { from, to });
}

/** Puts the filled text at the place of `;;`, and the files into the draft. */
async function insertReply(
  { editor, keeper, replyFor }: Props,
  workspaceId: string,
  savedReplyId: string,
  { from, to }: Pick<Typed, 'from' | 'to'>,
): Promise<void> {
  editor.chain().focus().deleteRange({ from, to }).run();
  try {
    const { body, bodyHtml, subject, attachments, actions } = await renderReply(workspaceId, savedReplyId, replyFor);
    const { content } = keeper.read();
    const runs = Object.keys(actions).length > 0;
    // The editor shows pictures of files that the draft has already.
    flushSync(() =>
      keeper.change({
        files: [...content.files, ...attachments],
        ...(content.subject === '' && subject !== null && { subject }),
        // The actions of an earlier reply stay.
        ...((runs || content.savedReplyId === null) && { savedReplyId, runActions: runs }),
      }),
    );
    if (body === '' && bodyHtml === null) return;
    const { content: blocks = [] } = docOf({ body, bodyHtml });
    const [only, ...others] = blocks;
    const isLine = others.length === 0 && only?.type === 'paragraph';
    editor
      .chain()
      .focus()
      .insertContent(isLine ? (only.content ?? []) : blocks)
      .run();
  } catch (error) {
    showToast(error instanceof Error ? error.message : words('replies.failed'), { isBad: true });
  }
}
