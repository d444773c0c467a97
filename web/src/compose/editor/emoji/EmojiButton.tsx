import type { Editor } from '@tiptap/core';
import { later } from '../../../ui/later.tsx';
import { PanelButton } from '../../../ui/PanelButton.tsx';
import { words } from '../../../words/words.ts';

const EmojiPanel = later(() => import('./EmojiPanel.tsx'), 'EmojiPanel');

/** Puts an emoji at the cursor. */
export function EmojiButton({ editor }: { editor: Editor }) {
  return (
    <PanelButton label={words('format.emoji')} icon="smile">
      {(close) => (
        <EmojiPanel
          onChoose={(emoji) => {
            close();
            // At once: the editor's own focus command waits for the next frame, and keys before that would be lost.
            editor.view.focus();
            editor.commands.insertContent({ type: 'text', text: emoji });
          }}
        />
      )}
    </PanelButton>
  );
}
