import { type FormEvent, useId, useRef } from 'react';
import type { Ticket } from '../api/client.ts';
import type { FieldChange } from '../tickets/ticket-change.ts';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import styles from './BulkBar.module.css';

type Props = { tickets: readonly Ticket[]; onChange: (change: FieldChange) => void };

/** Adds a tag to the selected tickets, or takes one of theirs away. */
export function BulkTags({ tickets, onChange }: Props) {
  const id = useId();
  const popover = useRef<HTMLDivElement>(null);
  const tags = [...new Set(tickets.flatMap((ticket) => ticket.tags))].sort();
  const change = (wanted: FieldChange) => {
    popover.current?.hidePopover();
    onChange(wanted);
  };
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const tag = String(new FormData(form).get('tag')).trim();
    if (tag === '') return;
    form.reset();
    change({ addTags: [tag] });
  };
  return (
    <>
      <Button popoverTarget={id}>{words('ticket.tags')}</Button>
      <div ref={popover} id={id} popover="auto" className={styles.tags}>
        <form onSubmit={add}>
          <input
            name="tag"
            maxLength={64}
            aria-label={words('bulk.addTag')}
            placeholder={words('bulk.addTag')}
            autoFocus
          />
          <Button type="submit">{words('bulk.add')}</Button>
        </form>
        {tags.length > 0 && (
          <ul aria-label={words('bulk.removeTag')}>
            {tags.map((tag) => (
              <li key={tag}>
                <Button
                  onClick={() => change({ removeTags: [tag] })}
                  aria-label={words('bulk.removeTagNamed', { tag })}
                >
                  {tag} ×
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  );
}
