import { useState } from 'react';
import type { Message } from '../../api/client.ts';
import { fullTime, shortTime } from '../../lib/dates.ts';
import { personOf } from '../../tickets/persons.ts';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import styles from './MessageCard.module.css';

/** Who wrote a message, to whom, and when. */
export function MessageHead({ message }: { message: Message }) {
  const { createdAt, isInternal } = message;
  return (
    <header className={styles.head}>
      <h2 dir="auto">{personOf(message)}</h2>
      {isInternal ? (
        <span className={styles.route}>
          <Icon name="lock" size={12} />
          {words('message.note')}
          <span className={styles.more}> · {words('message.onlyTeam')}</span>
        </span>
      ) : (
        <Route message={message} />
      )}
      <time dateTime={createdAt} title={fullTime(createdAt)}>
        {shortTime(createdAt)}
      </time>
    </header>
  );
}

/** All addresses, in one line until the person asks for the whole of it. */
function Route({ message: { author, direction, to, cc } }: { message: Message }) {
  const [isWhole, setIsWhole] = useState(false);
  const people = [
    // Anybody can write under any name, so the address follows.
    direction === 'inbound' && author.name !== null ? author.email : null,
    to.length > 0 ? words('message.to', { people: to.join(', ') }) : null,
    cc.length > 0 ? words('message.cc', { people: cc.join(', ') }) : null,
  ].filter((part) => part !== null);
  if (people.length === 0) return null;
  return (
    <button
      type="button"
      className={styles.route}
      dir="auto"
      aria-expanded={isWhole}
      title={people.join('\n')}
      onClick={() => setIsWhole(!isWhole)}
    >
      {people.join(' · ')}
    </button>
  );
}
