import { type KeyboardEvent, useRef, useState } from 'react';
import { words } from '../words/words.ts';
import styles from './TicketHead.module.css';

type Props = { subject: string; isEditable: boolean; onChange: (subject: string) => void };

const subjectMax = 500;

/** The subject: a heading that a click or Enter turns into a field. */
export function SubjectField({ subject, isEditable, onChange }: Props) {
  const [isEditing, setIsEditing] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const end = () => {
    setIsEditing(false);
    requestAnimationFrame(() => opener.current?.focus());
  };
  const keep = (text: string) => {
    const wanted = text.replace(/\s+/g, ' ').trim();
    if (wanted !== '' && wanted !== subject) onChange(wanted);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') {
      keep(event.currentTarget.value);
      end();
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      end();
    }
  };
  if (isEditing)
    return (
      <>
        <h1 id="ticket-subject" className="visually-hidden">
          {subject}
        </h1>
        <input
          className={styles.subjectInput}
          dir="auto"
          aria-label={words('ticket.subject')}
          maxLength={subjectMax}
          defaultValue={subject}
          // biome-ignore lint/a11y/noAutofocus: the person has just asked to edit the subject
          autoFocus
          onKeyDown={onKeyDown}
          onBlur={({ currentTarget }) => {
            keep(currentTarget.value);
            setIsEditing(false);
          }}
        />
      </>
    );
  return (
    <h1 id="ticket-subject" className={styles.subject} dir="auto" title={subject}>
      {isEditable ? (
        <button
          ref={opener}
          type="button"
          dir="auto"
          title={`${subject}\n${words('ticket.editSubject')}`}
          onClick={() => setIsEditing(true)}
        >
          {subject}
        </button>
      ) : (
        subject
      )}
    </h1>
  );
}
