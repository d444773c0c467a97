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
  /** Grows when the text changes by another hand than the writer's. */
  revision: number;
  label: string;
  isNote: boolean;
  members: readonly Mentionable[];
  onWrite: (written: Pick<DraftContent, 'body' | 'bodyHtml'>) => void;
  onFiles: (files: File[]) => void;
  onFocus: () => void;
  onBlur: () => void;
  handle: Ref<WritingBoxHandle>;
  /** Further tools. */
  children?: ReactNode;
};

/** Where the text area, which took the first keys, was left. */
export type Handover = { isFocused: boolean; offset: number };
