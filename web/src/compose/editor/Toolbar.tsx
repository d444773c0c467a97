import type { Editor } from '@tiptap/core';
import { type ReactNode, type Ref, useEffect, useReducer, useRef, useState } from 'react';
import { ariaKeys, keyWords } from '../../lib/keys.ts';
import buttonStyles from '../../ui/Button.module.css';
import { IconButton } from '../../ui/Button.tsx';
import { Icon, type IconName } from '../../ui/Icon.tsx';
import { MenuButton } from '../../ui/MenuButton.tsx';
import type { MenuItem } from '../../ui/MenuItems.tsx';
import { type WordKey, words } from '../../words/words.ts';
import { EmojiButton } from './emoji/EmojiButton.tsx';
import { LinkField } from './LinkField.tsx';
import styles from './RichText.module.css';

type Tool = {
  name: string;
  words: WordKey;
  keys: string;
  icon: IconName;
  run: (editor: Editor) => void;
};

const bold: Tool = {
  name: 'bold',
  words: 'format.bold',
  keys: '$mod+B',
  icon: 'bold',
  run: (editor) => editor.chain().focus().toggleBold().run(),
};
const italic: Tool = {
  name: 'italic',
  words: 'format.italic',
  keys: '$mod+I',
  icon: 'italic',
  run: (editor) => editor.chain().focus().toggleItalic().run(),
};
const bullets: Tool = {
  name: 'bulletList',
  words: 'format.bullets',
  keys: '$mod+Shift+8',
  icon: 'bullets',
  run: (editor) => editor.chain().focus().toggleBulletList().run(),
};
const shown = [bold, italic, bullets];
/** What people need less often stands in the menu. */
const folded: readonly Tool[] = [
  {
    name: 'orderedList',
    words: 'format.numbers',
    keys: '$mod+Shift+7',
    icon: 'numbers',
    run: (editor) => editor.chain().focus().toggleOrderedList().run(),
  },
  {
    name: 'blockquote',
    words: 'format.quote',
    keys: '$mod+Shift+9',
    icon: 'quote',
    run: (editor) => editor.chain().focus().toggleBlockquote().run(),
  },
  {
    name: 'underline',
    words: 'format.underline',
    keys: '$mod+U',
    icon: 'underline',
    run: (editor) => editor.chain().focus().toggleUnderline().run(),
  },
  {
    name: 'strike',
    words: 'format.strike',
    keys: '$mod+Shift+S',
    icon: 'strike',
    run: (editor) => editor.chain().focus().toggleStrike().run(),
  },
];

const linkKeys = '$mod+Shift+K';

type Props = {
  editor: Editor;
  onReplies: (() => void) | undefined;
  more: (() => MenuItem[][]) | undefined;
  children: ReactNode;
};

/** Files and saved replies, then buttons for formatting, and a menu with the rest. */
export function Toolbar({ editor, onReplies, more, children }: Props) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [isLinking, setIsLinking] = useState(false);
  const italicButton = useRef<HTMLButtonElement>(null);
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
  const itemOf = ({ name, words: text, keys, icon, run }: Tool): MenuItem => ({
    ...{ id: name, text: words(text), detail: keyWords(keys), icon },
    run: () => run(editor),
  });
  const items = () => {
    // Where the row is too narrow for it, it moves into the menu.
    const isNarrow = italicButton.current?.offsetParent === null;
    return [[...(isNarrow ? [italic] : []), ...folded].map(itemOf), ...(more?.() ?? [])].filter(
      (group) => group.length > 0,
    );
  };
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={words('format.label')}>
      {children}
      {onReplies !== undefined && (
        <IconButton
          icon="saved"
          aria-label={words('command.insertReply')}
          onMouseDown={keepFocus}
          onClick={onReplies}
        />
      )}
      <span data-tool="emoji">
        <EmojiButton editor={editor} />
      </span>
      <span className={styles.line} />
      {shown.map((tool) => (
        <ToolButton key={tool.name} tool={tool} editor={editor} ref={tool === italic ? italicButton : undefined} />
      ))}
      <IconButton
        icon="link"
        aria-pressed={editor.isActive('link')}
        aria-label={words('format.link')}
        aria-keyshortcuts={ariaKeys([linkKeys])}
        title={`${words('format.link')} (${keyWords(linkKeys)})`}
        onMouseDown={keepFocus}
        onClick={() => setIsLinking(true)}
      />
      <MenuButton
        label={words('format.more')}
        aria-label={words('format.more')}
        title={words('format.more')}
        className={buttonStyles.icon}
        items={items}
      >
        <Icon name="more" />
      </MenuButton>
    </div>
  );
}

type ToolProps = { tool: Tool; editor: Editor; ref: Ref<HTMLButtonElement> | undefined };

function ToolButton({ tool: { name, words: label, keys, icon, run }, editor, ref }: ToolProps) {
  return (
    <IconButton
      ref={ref}
      icon={icon}
      data-tool={name}
      aria-pressed={editor.isActive(name)}
      aria-label={words(label)}
      aria-keyshortcuts={ariaKeys([keys])}
      title={`${words(label)} (${keyWords(keys)})`}
      onMouseDown={keepFocus}
      onClick={() => run(editor)}
    />
  );
}

/** The cursor stays in the text. */
const keepFocus = (event: { preventDefault: () => void }) => event.preventDefault();
