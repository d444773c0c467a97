import type { Editor } from '@tiptap/core';
import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { words } from '../../words/words.ts';
import styles from './RichText.module.css';

/** Asks for the address of a link on the selected words. An empty address removes the link. */
export function LinkField({ editor, onDone }: { editor: Editor; onDone: () => void }) {
  const [address, setAddress] = useState(String(editor.getAttributes('link').href ?? ''));
  const leave = () => {
    // The editor's own focus command waits for the next frame, and keys before that would be lost.
    editor.view.focus();
    onDone();
  };
  const set = () => {
    const href = withScheme(address.trim());
    const chain = editor.chain().extendMarkRange('link');
    if (href === '') chain.unsetLink().run();
    else if (editor.state.selection.empty && !editor.isActive('link'))
      chain.insertContent({ type: 'text', text: href, marks: [{ type: 'link', attrs: { href } }] }).run();
    else chain.setLink({ href }).run();
    leave();
  };
  return (
    <div className={styles.toolbar}>
      <input
        className="text-field"
        // biome-ignore lint/a11y/noAutofocus: the field replaces the button that the person has just pressed
        autoFocus
        type="text"
        inputMode="url"
        aria-label={words('format.linkAddress')}
        placeholder="https://"
        value={address}
        onChange={(event) => setAddress(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          if (event.key === 'Enter') set();
          else leave();
        }}
      />
      <Button size="tool" onClick={set}>
        {words('format.setLink')}
      </Button>
    </div>
  );
}

function withScheme(address: string): string {
  if (address === '' || /^(?:https?:\/\/|mailto:|tel:)/i.test(address)) return address;
  return address.includes('@') && !address.includes('/') ? `mailto:${address}` : `https://${address}`;
}
