import { useQuery } from '@tanstack/react-query';
import type { ReactNode, RefObject } from 'react';
import type { ReplyFor } from '../replies/queries.ts';
import { usePlace } from '../session/Guard.tsx';
import { membersQuery } from '../tickets/queries.ts';
import { later } from '../ui/later.tsx';
import type { MenuItem } from '../ui/MenuItems.tsx';
import { words } from '../words/words.ts';
import type { DraftContent, DraftSnapshot } from './draft/draft-content.ts';
import type { DraftKeeper } from './draft/draft-keeper.ts';
import type { WritingBoxHandle } from './editor/writing-box-props.ts';
import { AttachButton } from './files/AttachButton.tsx';
import type { useUploads } from './files/use-uploads.ts';
import { WritingBox } from './WritingBox.tsx';

const DraftFiles = later(() => import('./draft/DraftFiles.tsx'), 'DraftFiles');
const ReplyHint = later(() => import('./ReplyHint.tsx'), 'ReplyHint');

type Props = {
  keeper: DraftKeeper;
  draft: DraftSnapshot;
  isNote: boolean;
  box: RefObject<WritingBoxHandle | null>;
  picker: RefObject<HTMLInputElement | null>;
  files: ReturnType<typeof useUploads>;
  onWrite: (written: Pick<DraftContent, 'body' | 'bodyHtml'>) => void;
  /** Who reads the answer first. */
  person?: string | undefined;
  /** Where the tools of the editor stand. */
  tools: HTMLElement | null;
  moreTools?: () => MenuItem[][];
  /** For whom saved replies are filled. */
  replyFor: ReplyFor;
  /** What the service puts below the text. */
  children: ReactNode;
};

/** The text of a draft and its files. */
export function WritingArea(props: Props) {
  const { keeper, draft, isNote, box, picker, files, onWrite, person, tools, moreTools, replyFor, children } = props;
  const { workspace } = usePlace();
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  const { content, revision } = draft;
  return (
    <>
      <WritingBox
        key={isNote ? 'note' : 'answer'}
        handle={box}
        content={content}
        revision={revision}
        label={words('compose.text')}
        placeholder={words(
          isNote ? 'compose.noteHere' : person === undefined ? 'compose.mailHere' : 'compose.answerHere',
        )}
        isNote={isNote}
        members={members.map(({ userId, name, email }) => ({ userId, name: name ?? email }))}
        onWrite={onWrite}
        onFiles={(picked) => files.add(picked, true)}
        onBlur={() => void keeper.flush()}
        replies={{ keeper, replyFor }}
        tools={tools}
        moreTools={moreTools}
      >
        <AttachButton picker={picker} files={files} />
      </WritingBox>
      {children}
      {content.savedReplyId !== null && <ReplyHint content={content} keeper={keeper} replyFor={replyFor} />}
      <DraftFiles
        files={content.files}
        bodyHtml={content.bodyHtml}
        uploads={files.uploads}
        onRemove={({ id }) => keeper.change({ files: content.files.filter((file) => file.id !== id) })}
        onRetry={files.retry}
        onDrop={files.drop}
      />
    </>
  );
}
