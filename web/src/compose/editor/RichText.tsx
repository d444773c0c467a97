import { Editor } from '@tiptap/core';
import { type CSSProperties, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { usePlace } from '../../session/Guard.tsx';
import { ownAddress } from '../../tickets/mail-html.ts';
import { docOf } from './doc-of.ts';
import { EmojiList } from './emoji/EmojiList.tsx';
import { MentionList } from './MentionList.tsx';
import { writtenOf } from './mail-doc.ts';
import { readyHtml } from './pasted.ts';
import { PastedPictures } from './pasted-pictures.ts';
import { linesOf } from './pasted-text.ts';
import { Replies } from './Replies.tsx';
import { insertAtCursor } from './ReplyList.tsx';
import styles from './RichText.module.css';
import { extensionsOf } from './schema.ts';
import { Toolbar } from './Toolbar.tsx';
import { isListOpen, takeListKey } from './typed-list.ts';
import type { Handover, WritingBoxProps } from './writing-box-props.ts';

type Props = WritingBoxProps & { handover: { readonly current: Handover } };

/** An editor with the formatting that every mail program shows. */
export function RichText(props: Props) {
  const { content, revision, label, isNote, members, handle } = props;
  const { workspace } = usePlace();
  const place = useRef<HTMLDivElement>(null);
  const current = useRef(props);
  current.current = props;
  // A ref beside the state, because effects use the handle before the state is set.
  const live = useRef<Editor>(undefined);
  const [pasted] = useState(() => picturesOf(current));
  const [editor, setEditor] = useState<Editor>();
  const [isChoosing, setIsChoosing] = useState(false);

  useLayoutEffect(() => {
    const created = createEditor(place.current, current, pasted);
    live.current = created;
    setEditor(created);
    const { isFocused, offset } = current.current.handover.current;
    if (isFocused) {
      created.commands.setTextSelection(positionOf(current.current.content.body, offset));
      created.view.focus();
    } else created.commands.setTextSelection(created.state.doc.content.size);
    return () => created.destroy();
  }, [pasted]);

  const shown = useRef(revision);
  // A layout effect, or a key pressed before the effect would be overwritten.
  useLayoutEffect(() => {
    if (editor === undefined || shown.current === revision) return;
    shown.current = revision;
    editor.commands.setContent(docOf(content), { emitUpdate: false });
    editor.commands.setTextSelection(editor.state.doc.content.size);
  }, [editor, revision, content]);

  useImperativeHandle(handle, () => ({
    // The editor's own focus command waits for the next frame, and keys before that would be lost.
    focus: () => live.current?.view.focus(),
    blur: () => live.current?.view.dom.blur(),
    insertPicture: (file, uploaded) => {
      const contentId = uploaded?.contentId ?? undefined;
      if (live.current === undefined || pasted.settle(live.current, file, contentId) || contentId === undefined) return;
      live.current
        .chain()
        .insertContent({ type: 'picture', attrs: { contentId, alt: file.name } })
        .run();
    },
    insertText: (text) => live.current?.chain().focus().insertContent({ type: 'text', text }).run(),
    openReplies: (savedReplyId) => {
      const { replies } = current.current;
      if (live.current === undefined || replies === undefined) return;
      // Afterwards, as the composer may give the text the focus first.
      if (savedReplyId === undefined) requestAnimationFrame(() => setIsChoosing(true));
      else insertAtCursor({ editor: live.current, ...replies }, workspace.id, savedReplyId);
    },
  }));

  const tools = editor !== undefined && <Tools editor={editor} choosing={[isChoosing, setIsChoosing]} {...props} />;
  return (
    <div
      className={styles.box}
      data-framed={props.tools === undefined || undefined}
      style={{ '--placeholder': JSON.stringify(props.placeholder ?? '') } as CSSProperties}
    >
      <div ref={place} className={styles.text} data-label={label} />
      {editor !== undefined && isNote && <MentionList editor={editor} members={members} />}
      {editor !== undefined && <EmojiList editor={editor} />}
      {props.tools == null ? props.tools === undefined && tools : createPortal(tools, props.tools)}
    </div>
  );
}

type ToolsProps = WritingBoxProps & { editor: Editor; choosing: [boolean, (isChoosing: boolean) => void] };

/** The toolbar, and above it the search for a saved reply. */
function Tools({ editor, choosing: [isChoosing, choose], replies, moreTools, children }: ToolsProps) {
  return (
    <>
      {replies !== undefined && <Replies {...{ editor, isChoosing }} onClose={() => choose(false)} {...replies} />}
      <Toolbar editor={editor} onReplies={replies && (() => choose(true))} more={moreTools}>
        {children}
      </Toolbar>
    </>
  );
}

function createEditor(
  element: HTMLElement | null,
  current: { readonly current: Props },
  pasted: PastedPictures,
): Editor {
  const addressOf = (contentId: string) => {
    const file = current.current.content.files.find((one) => one.contentId === contentId);
    return file === undefined ? pasted.sourceOf(contentId) : ownAddress(file.url);
  };
  const take = (data: DataTransfer | null) => {
    if (takeFiles(data, current.current)) return true;
    pasted.start(editor);
    return false;
  };
  const { content, label } = current.current;
  const editor: Editor = new Editor({
    element,
    extensions: extensionsOf(addressOf),
    content: docOf(content),
    injectCSS: false,
    coreExtensionOptions: { clipboardTextSerializer: { blockSeparator: '\n' } },
    editorProps: {
      attributes: {
        dir: 'auto',
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': label,
        class: styles.editable ?? '',
      },
      handleKeyDown: (_view, event) => takeListKey(event) || (isUnderline(event) && editor.commands.toggleUnderline()),
      // The composer handles these keys. The editor would swallow them without using them.
      handleDOMEvents: {
        keydown: (_view, event) => isOfComposer(event),
      },
      transformPastedHTML: (html) => {
        pasted.begin();
        return readyHtml(html, (picture) => pasted.take(picture));
      },
      clipboardTextParser: linesOf,
      handlePaste: (_view, event) => take(event.clipboardData),
      handleDrop: (_view, event) => take(event.dataTransfer),
    },
    onUpdate: ({ editor }) => current.current.onWrite(writtenOf(editor.getJSON())),
    onBlur: () => current.current.onBlur(),
  });
  return editor;
}

function picturesOf(current: { readonly current: Props }): PastedPictures {
  return new PastedPictures(() => ({
    isOwn: (contentId) => current.current.content.files.some((file) => file.contentId === contentId),
    upload: takerOf(current.current),
  }));
}

/** Uploads one file, where the text may hold files. */
function takerOf({ onFiles }: Props): ((file: File) => void) | undefined {
  return onFiles && ((file) => onFiles([file]));
}

function isUnderline({ key, metaKey, ctrlKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'u' && (metaKey || ctrlKey) && !shiftKey && !altKey;
}

function isOfComposer({ key, metaKey, ctrlKey }: KeyboardEvent): boolean {
  return (key === 'Escape' && !isListOpen()) || (key === 'Enter' && (metaKey || ctrlKey));
}

/**
 * Files win over HTML in the clipboard. But some programs copy text with a picture of it, so plain text wins over
 * files.
 */
function takeFiles(data: DataTransfer | null, { onFiles }: Props): boolean {
  const files = [...(data?.files ?? [])];
  if (files.length === 0 || onFiles === undefined || data?.types.includes('text/plain')) return false;
  onFiles(files);
  return true;
}

/** The document position of a text offset: a line break counts as one in the text and two in the document. */
function positionOf(text: string, offset: number): number {
  return offset + (text.slice(0, offset).split('\n').length - 1) + 1;
}
