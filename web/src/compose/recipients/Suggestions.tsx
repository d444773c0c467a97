import type { ReactNode } from 'react';
import styles from './Suggestions.module.css';

type Suggestion = {
  key: string;
  text: string;
  detail?: string | undefined;
  /** Stands before the text. */
  face?: ReactNode;
  /** Words above the first of neighbours with the same words. */
  group?: string | undefined;
};

type Props = {
  id: string;
  label: string;
  items: readonly Suggestion[];
  index: number;
  onChoose: (index: number) => void;
  opens: 'up' | 'down' | 'here';
};

/** A list of suggestions below a field, which keeps the focus and handles the keys. */
export function Suggestions({ id, label, items, index, onChoose, opens }: Props) {
  return (
    <div className={styles.list} id={id} role="listbox" aria-label={label} data-opens={opens}>
      {items.map(({ key, text, detail, face, group }, place) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
        <div
          key={key}
          id={suggestionId(id, place)}
          role="option"
          dir="auto"
          aria-selected={place === index}
          data-group={group === items[place - 1]?.group ? undefined : group}
          tabIndex={-1}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(place)}
        >
          {face}
          <span className={styles.words}>{text}</span>
          {detail !== undefined && <span className={styles.detail}>{detail}</span>}
        </div>
      ))}
    </div>
  );
}

export function suggestionId(id: string, index: number): string {
  return `${id}-${index}`;
}
