import type { Editor } from '@tiptap/core';
import { type ReactNode, useEffect, useReducer, useState } from 'react';
import { ariaKeys, keyWords } from '../../lib/keys.ts';
import { type WordKey, words } from '../../words/words.ts';
import { LinkField } from './LinkField.tsx';
import styles from './RichText.module.css';

type Tool = {
  name: string;
  words: WordKey;
  keys: string;
  icon: ReactNode;
  run: (editor: Editor) => void;
};

const line = (path: string) => (
  <svg
    viewBox="0 0 16 16"
    width="16"
    height="16"
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
  >
    <path d={path} />
  </svg>
);

const tools: readonly Tool[] = [
  {
    name: 'bold',
    words: 'format.bold',
    keys: '$mod+B',
    icon: <b>B</b>,
    run: (editor) => editor.chain().focus().toggleBold().run(),
  },
  {
    name: 'italic',
    words: 'format.italic',
    keys: '$mod+I',
    icon: <i>I</i>,
    run: (editor) => editor.chain().focus().toggleItalic().run(),
  },
  {
    name: 'bulletList',
    words: 'format.bullets',
    keys: '$mod+Shift+8',
    icon: line('M6 4h8M6 8h8M6 12h8M2 4h1.5M2 8h1.5M2 12h1.5'),
    run: (editor) => editor.chain().focus().toggleBulletList().run(),
  },
  {
    name: 'orderedList',
    words: 'format.numbers',
    keys: '$mod+Shift+7',
    icon: line('M7 4h7M7 8h7M7 12h7M2 3l1-.7V6M1.8 10.4c0-1.2 2-1.2 2 0 0 1-2 1.8-2 2.6h2.2'),
    run: (editor) => editor.chain().focus().toggleOrderedList().run(),
  },
  {
    name: 'blockquote',
    words: 'format.quote',
    keys: '$mod+Shift+9',
    icon: line('M2.5 3v10M6 5h8M6 8h8M6 11h5'),
    run: (editor) => editor.chain().focus().toggleBlockquote().run(),
  },
];

const linkKeys = '$mod+Shift+K';

type Props = { editor: Editor; onReplies: (() => void) | undefined; children: ReactNode };

/** Buttons for formatting, then further tools. */
export function Toolbar({ editor, onReplies, children }: Props) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [isLinking, setIsLinking] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !event.shiftKey || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      event.stopPropagation();
      setIsLinking(true);
    };
    const { dom } = editor.view;
    editor.on('transaction', redraw);
    dom.addEventListener('keydown', onKey);
    return () => {
      editor.off('transaction', redraw);
      dom.removeEventListener('keydown', onKey);
    };
  }, [editor]);
  if (isLinking) return <LinkField editor={editor} onDone={() => setIsLinking(false)} />;
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={words('format.label')}>
      {tools.map(({ name, words: label, keys, icon, run }) => (
        <button
          key={name}
          type="button"
          aria-pressed={editor.isActive(name)}
          aria-label={words(label)}
          aria-keyshortcuts={ariaKeys([keys])}
          title={`${words(label)} (${keyWords(keys)})`}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => run(editor)}
        >
          {icon}
        </button>
      ))}
      <button
        type="button"
        aria-pressed={editor.isActive('link')}
        aria-label={words('format.link')}
        aria-keyshortcuts={ariaKeys([linkKeys])}
        title={`${words('format.link')} (${keyWords(linkKeys)})`}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => setIsLinking(true)}
      >
        {line(
          'M6.5 9.5l3-3M7 4.5l1.6-1.6a3 3 0 014.3 4.3L11.4 8.800M9 11.500l-1.6 1.600a3 3 0 01-4.300-4.300L4.600 7.200',
        )}
      </button>
      {onReplies !== undefined && (
        <button
          type="button"
          aria-label={words('command.insertReply')}
          title={words('command.insertReply')}
          onMouseDown={(event) => event.preventDefault()}
          onClick={onReplies}
        >
          {line('M3 2.500h10v8H8l-3 3v-3H3zM5.500 5.500h5M5.500 8h3')}
        </button>
      )}
      {children}
    </div>
  );
}
