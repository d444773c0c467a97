import { memo } from 'react';
import type { Message, TicketWithMessages } from '../../api/client.ts';
import { RestoreButton } from '../../compose/RestoreButton.tsx';
import { fullTime, shortTime } from '../../lib/dates.ts';
import { withNames } from '../../lib/mentions.ts';
import { usePlace } from '../../session/Guard.tsx';
import { personOf } from '../../tickets/persons.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useLocale } from '../../ui/language.ts';
import { words } from '../../words/words.ts';
import timelineStyles from '../Timeline.module.css';
import { AuthorFace } from './AuthorFace.tsx';
import styles from './MessageCard.module.css';

type Props = { message: Message; onOpen: (message: Message) => void };

const snippetChars = 160;

/** A folded message: its author, first words and time. */
export const MessageLine = memo(function MessageLine({ message, onOpen }: Props) {
  useLocale();
  const { id, createdAt, direction, delivery, isInternal, redacted } = message;
  const person = personOf(message);
  const trouble = delivery?.status;
  return (
    <h2 className={styles.lineHead} data-message={id} id={`message-${id}`}>
      <button
        type="button"
        className={styles.line}
        data-direction={direction}
        title={words('message.open', { person })}
        onClick={() => onOpen(message)}
      >
        <AuthorFace message={message} size={24} />
        <span className={styles.who} dir="auto">
          {person}
        </span>
        {isInternal && (
          <span className={styles.mark}>
            <Icon name="lock" size={12} />
            <span className="visually-hidden">{words('message.note')}</span>
          </span>
        )}
        <span className={styles.snippet} dir="auto">
          {redacted == null ? snippetOf(message) : words('message.redacted')}
        </span>
        {trouble === 'scheduled' && <span className={styles.mark}>{words('delivery.scheduled')}</span>}
        {(trouble === 'failed' || trouble === 'bounced' || trouble === 'uncertain') && (
          <span className={styles.trouble}>{words(`delivery.${trouble}`)}</span>
        )}
        <time dateTime={createdAt} title={fullTime(createdAt)}>
          {shortTime(createdAt)}
        </time>
      </button>
    </h2>
  );
});

type UndoneProps = Props & { ticket: TicketWithMessages; onRestore: ((message: Message) => void) | undefined };

/** A short line for an undone answer: its text is back in the composer, or its writer can restore it. */
export function UndoneLine({ message, ticket, onOpen, onRestore }: UndoneProps) {
  const { userId } = usePlace();
  const { id, createdAt, author } = message;
  return (
    <div className={timelineStyles.events} data-message={id} id={`message-${id}`}>
      <Icon name="undo" size={14} />
      <p>
        {words('message.undone', { person: personOf(message) })}
        <Button look="quiet" className={timelineStyles.show} onClick={() => onOpen(message)}>
          {words('message.showUndone')}
        </Button>
        {author.userId === userId && onRestore !== undefined && (
          <RestoreButton
            message={message}
            ticket={ticket}
            className={timelineStyles.show}
            onRestore={() => onRestore(message)}
          />
        )}
        <time dateTime={createdAt} title={fullTime(createdAt)}>
          {shortTime(createdAt)}
        </time>
      </p>
    </div>
  );
}

function snippetOf({ author, body, replyText }: Message): string {
  return withNames((replyText ?? body).slice(0, 4 * snippetChars), author)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, snippetChars);
}
