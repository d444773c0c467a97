import type { ComponentProps } from 'react';
import { usePlace } from '../../session/Guard.tsx';
import { insertAtCursor, ReplyList } from './ReplyList.tsx';
import { ReplyPicker } from './ReplyPicker.tsx';

type Props = ComponentProps<typeof ReplyList> & { isChoosing: boolean; onClose: () => void };

/** The two ways to a saved reply: `;;` in the text, and a search above the toolbar. */
export function Replies({ isChoosing, onClose, ...props }: Props) {
  const { workspace } = usePlace();
  return (
    <>
      <ReplyList {...props} />
      {isChoosing && (
        <ReplyPicker
          replyFor={props.replyFor}
          onChoose={(savedReplyId) => insertAtCursor(props, workspace.id, savedReplyId)}
          onClose={(isDone) => {
            onClose();
            if (isDone) props.editor.view.focus();
          }}
        />
      )}
    </>
  );
}
