import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useSearch } from 'wouter';
import { fullTime, shortTime } from '../lib/dates.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { nameOfContact } from '../tickets/persons.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import styles from './ContactPanel.module.css';
import { RemotePicturesChoice } from './message/RemotePicturesChoice.tsx';
import { contactQuery } from './queries.ts';

const shownMax = 10;
/** The API returns at most the newest hundred tickets. */
const toldMax = 100;

type Props = {
  contactId: string;
  currentNumber: number;
  /** Whether to focus the choice of pictures instead of the panel. */
  arePicturesWanted: boolean;
  onClose: () => void;
};

/** The requester of a ticket: name, addresses and their other tickets. */
export function ContactPanel({ contactId, currentNumber, arePicturesWanted, onClose }: Props) {
  const { workspace } = usePlace();
  const search = useSearch();
  const panel = useRef<HTMLElement>(null);
  const { data: contact, error, refetch } = useQuery(contactQuery(workspace.id, contactId));
  useEffect(() => {
    if (!arePicturesWanted) panel.current?.focus();
  }, [arePicturesWanted]);
  const openCount = contact?.tickets.filter(({ status }) => status !== 'closed').length ?? 0;
  return (
    <aside
      ref={panel}
      className={styles.panel}
      tabIndex={-1}
      aria-label={words('contact.label')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onClose();
      }}
    >
      <Button look="quiet" className={styles.close} aria-label={words('contact.close')} onClick={onClose}>
        ×
      </Button>
      {error !== null && contact === undefined && <Fault error={error} onRetry={() => void refetch()} />}
      {contact !== undefined && (
        <>
          <h2 dir="auto">
            <Link href={paths.contact(contactId)}>{nameOfContact(contact)}</Link>
          </h2>
          <ul className={styles.addresses}>
            {contact.emails.map((email) => (
              <li key={email}>{email}</li>
            ))}
          </ul>
          <RemotePicturesChoice
            contactId={contactId}
            isAlways={contact.showsRemoteImages}
            isWanted={arePicturesWanted}
          />
          <h3>
            {words(contact.tickets.length < toldMax ? 'contact.count' : 'contact.countAtLeast', {
              open: openCount,
              count: contact.tickets.length,
            })}
          </h3>
          <ul className={styles.tickets}>
            {contact.tickets.slice(0, shownMax).map(({ id, ticketNumber, subject, status, lastMessageAt }) => (
              <li key={id} dir="auto">
                <Link
                  href={paths.ticket(ticketNumber, search)}
                  aria-current={ticketNumber === currentNumber ? 'page' : undefined}
                >
                  <span className={styles.subject}>{subject}</span>
                  <span className={styles.facts}>
                    #{ticketNumber} · {words(`status.${status}`)} ·{' '}
                    <time dateTime={lastMessageAt} title={fullTime(lastMessageAt)}>
                      {shortTime(lastMessageAt)}
                    </time>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </aside>
  );
}
