import { useQuery } from '@tanstack/react-query';
import type { Editor, JSONContent } from '@tiptap/core';
import type { Selection } from '@tiptap/pm/state';
import { flushSync } from 'react-dom';
import { type ReplyFor, renderReply, savedRepliesQuery } from '../../replies/queries.ts';
import { usePlace } from '../../session/Guard.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import type { DraftKeeper } from '../draft/draft-keeper.ts';
import { docOf } from './doc-of.ts';
import { NoReplies } from './NoReplies.tsx';
import { TypedList } from './TypedList.tsx';
import type { TypedQuery } from './typed-list.ts';

const shownMax = 8;

/** The text after the last `;;` before the cursor. */
const pattern = /(?<=^|\s);;([\p{L}\p{N} ._-]{0,40})$/u;

type Props = { editor: Editor; keeper: DraftKeeper; replyFor: ReplyFor };

/** The saved replies that match the text after `;;`. */
export function ReplyList(props: Props) {
  const { workspace } = usePlace();
  return (
    <TypedList
      editor={props.editor}
      id="reply-list"
      label={words('replies.list')}
      pattern={pattern}
      useFound={useFound}
      onChoose={({ key }, at) => void insertReply(props, workspace.id, key, at)}
      none={<NoReplies />}
    />
  );
}

function useFound(query: string | undefined) {
  const { workspace } = usePlace();
  const isAsked = query !== undefined;
  const { data } = useQuery({ ...savedRepliesQuery(workspace.id, query ?? '', 'used'), enabled: isAsked });
  if (!isAsked) return [];
  return data?.slice(0, shownMax).map(({ id, name, shortcut }) => ({
    key: id,
    text: name,
    detail: shortcut === null ? undefined : `;;${shortcut}`,
  }));
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
  { from, to }: Omit<TypedQuery, 'query'>,
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
      .insertContent(isLine ? (only.content ?? []) : apart(blocks, editor.state.selection))
      .run();
  } catch (error) {
    showToast(error instanceof Error ? error.message : words('replies.failed'), { isBad: true });
  }
}

/** Several lines, with a blank line towards the words of the line that they break. */
function apart(lines: JSONContent[], { $from, $to }: Selection): JSONContent[] {
  const blank = { type: 'paragraph' };
  const isBehindText = $from.parentOffset > 0;
  const isBeforeText = $to.parentOffset < $to.parent.content.size;
  return [...(isBehindText ? [blank] : []), ...lines, ...(isBeforeText ? [blank] : [])];
}
