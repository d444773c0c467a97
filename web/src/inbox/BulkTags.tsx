import type { FormEvent } from 'react';
import type { Ticket } from '../api/client.ts';
import type { FieldChange } from '../tickets/ticket-change.ts';
import { Button } from '../ui/Button.tsx';
import { Field } from '../ui/Field.tsx';
import { Icon } from '../ui/Icon.tsx';
import { PanelButton } from '../ui/PanelButton.tsx';
import { inOrder, words } from '../words/words.ts';
import styles from './BulkBar.module.css';

type Props = { tickets: readonly Ticket[]; onChange: (change: FieldChange) => void };

/** Adds a tag to the selected tickets, or removes a tag from them. */
export function BulkTags(props: Props) {
  return (
    <PanelButton label={words('ticket.tags')} icon="tag">
      {(close) => <TagForm {...props} onDone={close} />}
    </PanelButton>
  );
}

function TagForm({ tickets, onChange, onDone }: Props & { onDone: () => void }) {
  const tags = [...new Set(tickets.flatMap((ticket) => ticket.tags))].sort(inOrder);
  const change = (wanted: FieldChange) => {
    onDone();
    onChange(wanted);
  };
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const tag = String(new FormData(event.currentTarget).get('tag')).trim();
    if (tag !== '') change({ addTags: [tag] });
  };
  return (
    <div className={styles.tags}>
      <form onSubmit={add}>
        <Field label={words('bulk.addTag')} name="tag" maxLength={64} autoFocus />
        <Button type="submit">{words('bulk.add')}</Button>
      </form>
      {tags.length > 0 && (
        <ul aria-label={words('bulk.removeTag')}>
          {tags.map((tag) => (
            <li key={tag}>
              <Button onClick={() => change({ removeTags: [tag] })} aria-label={words('bulk.removeTagNamed', { tag })}>
                {tag} <Icon name="close" size={12} />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
