import type { ReactNode, Ref } from 'react';
import type { Attachment } from '../../api/client.ts';
import type { ReplyFor } from '../../replies/queries.ts';
import type { DraftContent } from '../draft/draft-content.ts';
import type { DraftKeeper } from '../draft/draft-keeper.ts';
import type { Mentionable } from './mention.ts';

export type WritingBoxHandle = {
  focus: () => void;
  blur: () => void;
  /** Puts a picture where it was pasted, or else at the cursor. @param uploaded undefined if the upload failed */
  insertPicture: (file: File, uploaded: Attachment | undefined) => void;
  insertText: (text: string) => void;
  /** Inserts a saved reply at the cursor; without an id, opens the list of them. */
  openReplies: (savedReplyId?: string) => void;
};

export type WritingBoxProps = {
  content: Pick<DraftContent, 'body' | 'bodyHtml' | 'files'>;
  /** Grows when the text changes other than by typing. */
  revision: number;
  label: string;
  /** Shown while the text is empty. */
  placeholder?: string | undefined;
  isNote: boolean;
  members: readonly Mentionable[];
  onWrite: (written: Pick<DraftContent, 'body' | 'bodyHtml'>) => void;
  /** Undefined where the text can hold no files. */
  onFiles?: (files: File[]) => void;
  onFocus: () => void;
  onBlur: () => void;
  handle: Ref<WritingBoxHandle>;
  /** Where saved replies go, and for whom they are filled; undefined where none can be inserted. */
  replies?: { keeper: DraftKeeper; replyFor: ReplyFor };
  /** Further tools of the toolbar. */
  children?: ReactNode;
};

/** The focus and cursor of the text area that took the first keys. */
export type Handover = { isFocused: boolean; offset: number };
