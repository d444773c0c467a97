import { useQuery } from '@tanstack/react-query';
import type { TicketWithMessages } from '../../api/client.ts';
import { bestScore, surveyAnswersQuery } from '../../api/survey-answers.ts';
import { shortTime } from '../../lib/dates.ts';
import { usePlace } from '../../session/Guard.tsx';
import { ticketEventsQuery } from '../../tickets/queries.ts';
import { words } from '../../words/words.ts';
import styles from './Rail.module.css';

/** What the customer of a ticket answered, when the ticket has an event that tells so. */
export function Rating({ ticket: { id: ticketId, ticketNumber } }: { ticket: TicketWithMessages }) {
  const { workspace } = usePlace();
  const events = useQuery(ticketEventsQuery(workspace.id, { id: ticketId, ticketNumber })).data ?? [];
  const told = events.filter(({ type }) => type === 'survey.answered').length;
  const isShown = told > 0 && workspace.role !== 'viewer';
  const { data } = useQuery({ ...surveyAnswersQuery(workspace.id, { ticketId }, told), enabled: isShown });
  if (!isShown || data === undefined || data.items.length === 0) return null;
  return (
    <section className={styles.section} aria-label={words('rail.rating')}>
      <h2 className={styles.title}>{words('rail.rating')}</h2>
      <ul className={styles.ratings}>
        {data.items.map(({ id, score, scale, comment, changedAt }) => (
          <li key={id}>
            {words('rail.score', { score, best: bestScore[scale] })} · {shortTime(changedAt)}
            {comment !== null && <p dir="auto">{comment}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
