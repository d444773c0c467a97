import { memo } from 'react';
import { Link } from 'wouter';
import type { Ticket } from '../api/client.ts';
import { fullTime, shortTime } from '../lib/dates.ts';
import { paths } from '../paths.ts';
import { words } from '../words/words.ts';
import styles from './TicketRow.module.css';

type Props = { ticket: Ticket; search: string; isCurrent: boolean };

export const TicketRow = memo(function TicketRow({ ticket, search, isCurrent }: Props) {
  const { ticketNumber, subject, requester, lastMessageAt, messageCount, tags, status } = ticket;
  return (
    <div role="listitem">
      <Link
        href={paths.ticket(ticketNumber, search)}
        className={styles.row ?? ''}
        aria-current={isCurrent ? 'true' : undefined}
      >
        <span className={styles.person}>{requester?.name ?? requester?.email ?? words('app')}</span>
        {messageCount > 1 && <span className={styles.count}>{messageCount}</span>}
        <time className={styles.time} dateTime={lastMessageAt} title={fullTime(lastMessageAt)}>
          {shortTime(lastMessageAt)}
        </time>
        <span className={styles.subject}>{subject}</span>
        <span className={styles.marks}>
          <span>#{ticketNumber}</span>
          {status !== 'open' && <span>{words(`status.${status}`)}</span>}
          {tags.slice(0, 2).map((tag) => (
            <span key={tag} className={styles.tag}>
              {tag}
            </span>
          ))}
          {tags.length > 2 && <span>+{tags.length - 2}</span>}
        </span>
      </Link>
    </div>
  );
});
