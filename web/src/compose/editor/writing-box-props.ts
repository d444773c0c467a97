import type { ReactNode, Ref } from 'react';
import type { Attachment } from '../../api/client.ts';
import type { ReplyFor } from '../../replies/queries.ts';
import type { MenuItem } from '../../ui/MenuItems.tsx';
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
  onBlur: () => void;
  handle: Ref<WritingBoxHandle>;
  /** Where saved replies go, and for whom they are filled; undefined where none can be inserted. */
  replies?: { keeper: DraftKeeper; replyFor: ReplyFor };
  /** The place of the toolbar; undefined: below the text, in the frame of the box. Null until the place is there. */
  tools?: HTMLElement | null | undefined;
  /** The first tools of the toolbar. */
  children?: ReactNode;
  /** Groups of further tools, for the menu of the toolbar. */
  moreTools?: (() => MenuItem[][]) | undefined;
};

/** The focus and cursor of the text area that took the first keys. */
export type Handover = { isFocused: boolean; offset: number };
