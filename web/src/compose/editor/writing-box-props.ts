import type { ReactNode, Ref } from 'react';
import type { DraftContent } from '../draft-content.ts';
import type { Mentionable } from './mention.ts';

export type WritingBoxHandle = {
  focus: () => void;
  blur: () => void;
  insertPicture: (contentId: string, alt: string) => void;
};

export type WritingBoxProps = {
  content: Pick<DraftContent, 'body' | 'bodyHtml' | 'files'>;
  /** Grows when the text changes other than by typing. */
  revision: number;
  label: string;
  isNote: boolean;
  members: readonly Mentionable[];
  onWrite: (written: Pick<DraftContent, 'body' | 'bodyHtml'>) => void;
  onFiles: (files: File[]) => void;
  onFocus: () => void;
  onBlur: () => void;
  handle: Ref<WritingBoxHandle>;
  /** Further tools of the toolbar. */
  children?: ReactNode;
};

/** The focus and cursor of the text area that took the first keys. */
export type Handover = { isFocused: boolean; offset: number };
