import { useEffect, useRef } from 'react';
import type { TicketWithMessages } from '../../api/client.ts';
import { IconButton } from '../../ui/Button.tsx';
import { words } from '../../words/words.ts';
import { Past } from './Past.tsx';
import { Person } from './Person.tsx';
import { Properties } from './Properties.tsx';
import styles from './Rail.module.css';
import { Rating } from './Rating.tsx';
import type { useRail } from './use-rail.ts';

type Props = {
  /** Undefined while the ticket loads: the rail keeps its place. */
  ticket: TicketWithMessages | undefined;
  canEdit: boolean;
  rail: ReturnType<typeof useRail>;
};

/** What is known of a ticket, beside its conversation: the person who asks, the properties, and earlier tickets. */
export function Rail({ ticket, canEdit, rail: { isNarrow, wanted, close, onFocused } }: Props) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (wanted !== 'rail') return;
    place.current?.focus();
    onFocused();
  });
  const contactId = ticket?.requester?.contactId;
  return (
    <aside
      ref={place}
      className={styles.rail}
      data-over={isNarrow}
      tabIndex={-1}
      aria-label={words('rail.label')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isNarrow) return;
        event.preventDefault();
        close();
      }}
    >
      {isNarrow && (
        <IconButton icon="close" className={styles.close} aria-label={words('rail.close')} onClick={close} />
      )}
      {ticket?.requester != null && (
        <Person
          key={contactId}
          requester={ticket.requester}
          arePicturesWanted={wanted === 'pictures'}
          onFocused={onFocused}
        />
      )}
      {ticket !== undefined && <Properties ticket={ticket} canEdit={canEdit} />}
      {ticket !== undefined && <Rating ticket={ticket} />}
      {contactId !== undefined && <Past contactId={contactId} currentNumber={ticket?.ticketNumber} />}
    </aside>
  );
}
