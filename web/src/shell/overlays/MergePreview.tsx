import { useQueries } from '@tanstack/react-query';
import type { Message, Ticket } from '../../api/client.ts';
import { fullTime, shortTime } from '../../lib/dates.ts';
import { withNames } from '../../lib/mentions.ts';
import { usePlace } from '../../session/Guard.tsx';
import { personOf } from '../../tickets/persons.ts';
import { ticketQuery } from '../../tickets/queries.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import styles from './MergeForm.module.css';

/** Each ticket is read for its messages. */
const ticketsMax = 5;
const linesMax = 30;
const snippetChars = 120;

/** The newest messages that the kept ticket will have, in order of time, each with the ticket that it comes from. */
export function MergePreview({ tickets, kept }: { tickets: readonly Ticket[]; kept: Ticket }) {
  const { workspace } = usePlace();
  const shown = tickets.slice(0, ticketsMax);
  const lines = useQueries({
    queries: shown.map(({ ticketNumber }) => ticketQuery(workspace.id, ticketNumber)),
    combine: (answers) =>
      answers
        .flatMap(({ data }) => (data?.messages ?? []).map((message) => ({ message, number: data?.ticketNumber ?? 0 })))
        .sort((a, b) => a.message.createdAt.localeCompare(b.message.createdAt))
        .slice(-linesMax),
  });
  const count = tickets.reduce((sum, { messageCount }) => sum + messageCount, 0);
  const title = words('merge.afterwards', { number: kept.ticketNumber, count });
  return (
    // Arrow keys scroll an area with the focus.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
    <section className={styles.preview} aria-label={title} data-scrolls tabIndex={0}>
      <h3>{title}</h3>
      <ol>
        {lines.map(({ message, number }) => (
          <Line key={message.id} message={message} number={number} />
        ))}
      </ol>
    </section>
  );
}

function Line({ message, number }: { message: Message; number: number }) {
  const { author, createdAt, isInternal, body, replyText, redacted } = message;
  const person = personOf(message);
  const text = redacted == null ? withNames((replyText ?? body).slice(0, 4 * snippetChars), author) : '';
  return (
    <li>
      <Avatar
        name={person}
        of={author.userId ?? author.email ?? person}
        isTeam={author.type !== 'customer'}
        size={24}
      />
      <span className={styles.cut} dir="auto">
        <b className={styles.person}>{person}</b>
        {isInternal && (
          <span className={styles.lock} title={words('message.note')}>
            <Icon name="lock" size={12} />
          </span>
        )}
        {redacted == null ? text.replace(/\s+/g, ' ').trim().slice(0, snippetChars) : words('message.redacted')}
      </span>
      <span className={styles.number}>#{number}</span>
      <time dateTime={createdAt} title={fullTime(createdAt)}>
        {shortTime(createdAt)}
      </time>
    </li>
  );
}
