import { Link, useSearch } from 'wouter';
import { fullTime, shortTime } from '../../lib/dates.ts';
import { paths } from '../../paths.ts';
import { StatusDot } from '../../tickets/Marks.tsx';
import { words } from '../../words/words.ts';
import styles from './Rail.module.css';
import { useTicketsOf } from './use-tickets-of.ts';

const shownMax = 8;

/** Other tickets of the person, the newest first. */
export function Past({ contactId, currentNumber }: { contactId: string; currentNumber: number | undefined }) {
  const search = useSearch();
  const others = useTicketsOf(contactId)?.filter(({ ticketNumber }) => ticketNumber !== currentNumber) ?? [];
  if (others.length === 0) return null;
  return (
    <section className={styles.section} aria-label={words('rail.previous')}>
      <h2 className={styles.title}>
        {words('rail.previous')}
        <span className={styles.count}>{others.length}</span>
      </h2>
      <ul className={styles.past}>
        {others.slice(0, shownMax).map(({ id, ticketNumber, subject, status, lastMessageAt }) => (
          <li key={id}>
            <Link href={paths.ticket(ticketNumber, search)} title={`#${ticketNumber} ${subject}`}>
              <StatusDot status={status} />
              <span className="visually-hidden">{words(`status.${status}`)}</span>
              <span className="cut" dir="auto">
                {subject}
              </span>
              <time dateTime={lastMessageAt} title={fullTime(lastMessageAt)}>
                {shortTime(lastMessageAt)}
              </time>
            </Link>
          </li>
        ))}
      </ul>
      {others.length > shownMax && (
        <Link href={paths.contact(contactId)} className={styles.all ?? ''}>
          {words('rail.all')}
        </Link>
      )}
    </section>
  );
}
