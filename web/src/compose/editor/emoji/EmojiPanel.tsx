import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField } from 'react-aria-components';
import { useLocale } from '../../../ui/language.ts';
import { words } from '../../../words/words.ts';
import styles from './EmojiPanel.module.css';
import { emojiQuery, findEmoji, usual } from './emoji.ts';

const shownMax = 48;

/** The usual emoji, and a search of all others. */
export function EmojiPanel({ onChoose }: { onChoose: (emoji: string) => void }) {
  const all = useQuery(emojiQuery(useLocale())).data ?? [];
  const [text, setText] = useState('');
  const found = text.trim() === '' ? all.filter(([emoji]) => usual.includes(emoji)) : findEmoji(all, text, shownMax);
  const inOrder = text.trim() === '' ? found.sort(([a], [b]) => usual.indexOf(a) - usual.indexOf(b)) : found;
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <SearchField aria-label={words('format.emoji')} className={styles.field ?? ''}>
        <Input
          className="text-field"
          autoFocus
          placeholder={words('format.findEmoji')}
          onKeyDown={({ key, currentTarget }) => {
            const isAtNone = !currentTarget.getAttribute('aria-activedescendant');
            if (key === 'Enter' && isAtNone && inOrder[0] !== undefined) onChoose(inOrder[0][0]);
          }}
        />
      </SearchField>
      <ListBox
        aria-label={words('format.emoji')}
        layout="grid"
        selectionMode="none"
        items={inOrder.map(([emoji, name]) => ({ id: emoji, name }))}
        onAction={(emoji) => onChoose(String(emoji))}
        className={styles.grid ?? ''}
        renderEmptyState={() => <p className={styles.nothing}>{words('picker.nothing')}</p>}
      >
        {({ id, name }) => (
          <ListBoxItem id={id} textValue={name} aria-label={name} className={styles.emoji ?? ''}>
            <span title={name}>{id}</span>
          </ListBoxItem>
        )}
      </ListBox>
    </Autocomplete>
  );
}
