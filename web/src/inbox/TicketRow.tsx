import { type KeyboardEvent, type MouseEvent, memo } from 'react';
import { Link } from 'wouter';
import type { Ticket } from '../api/client.ts';
import { ageWords, fullTime, shortTime } from '../lib/dates.ts';
import { initialsOf } from '../lib/initials.ts';
import { paths } from '../paths.ts';
import { Faces } from '../people/Faces.tsx';
import { usePlace } from '../session/Guard.tsx';
import { nameOfContact } from '../tickets/persons.ts';
import { TagNames } from '../tickets/TagNames.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { useLocale } from '../ui/language.ts';
import { words } from '../words/words.ts';
import styles from './TicketRow.module.css';
import { useLongPress } from './use-long-press.ts';

/** The actions of a row. All rows share the same functions in all renders. */
export type RowActions = {
  onToggle: (id: string) => void;
  onSelectTo: (id: string) => void;
  /** Runs on Enter in the row of the open ticket. */
  onEnterTicket: () => void;
  onFocus: (index: number) => void;
  /** Runs when the pointer enters a ticket's row, and with undefined when it leaves. */
  onHover: (ticket: Ticket | undefined) => void;
  isSelectable: boolean;
};

type Props = {
  ticket: Ticket;
  /** The assignee's name. */
  assignee: string | undefined;
  index: number;
  size: number | undefined;
  search: string;
  isOpen: boolean;
  isSelected: boolean;
  isTabStop: boolean;
  isCompact: boolean;
  actions: RowActions;
};

export const TicketRow = memo(function TicketRow(props: Props) {
  useLocale();
  const { ticket, assignee, index, size, search, isOpen, isSelected, isTabStop, isCompact, actions } = props;
  const { id, ticketNumber, requester } = ticket;
  const person = requester === null ? words('app') : nameOfContact(requester);
  const { endsPress, ...press } = useLongPress(() => actions.isSelectable && actions.onToggle(id));
  const onClick = (event: MouseEvent) => {
    if (endsPress()) return event.preventDefault();
    if (!event.shiftKey || !actions.isSelectable) return;
    event.preventDefault();
    actions.onSelectTo(id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !isOpen || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    actions.onEnterTicket();
  };
  return (
    // The list draws only visible rows, so each row states its position and the size of the list.
    <div
      role="listitem"
      aria-setsize={size ?? -1}
      aria-posinset={index + 1}
      className={styles.item}
      data-index={index}
      data-ticket={id}
      data-selected={isSelected}
      data-unread={ticket.unread === true}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && actions.onHover(ticket)}
      onPointerLeave={() => actions.onHover(undefined)}
    >
      {actions.isSelectable && (
        <label className={styles.select} title={words('list.select')}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={words('list.selectTicket', { number: ticketNumber })}
            checked={isSelected}
            onClick={(event) => {
              if (event.shiftKey) actions.onSelectTo(id);
              else actions.onToggle(id);
            }}
            readOnly
          />
        </label>
      )}
      <Link
        href={paths.ticket(ticketNumber, search)}
        className={styles.row ?? ''}
        tabIndex={isTabStop ? 0 : -1}
        aria-current={isOpen ? 'true' : undefined}
        draggable={false}
        // With Shift, keeps the focus on the first row of the range, and selects no text.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        // The link itself ignores clicks with Shift.
        onClickCapture={onClick}
        onKeyDown={onKeyDown}
        {...press}
        onFocus={() => actions.onFocus(index)}
      >
        {isSelected && <span className="visually-hidden">{words('list.isSelected')}</span>}
        <RowText
          {...{ ticket, person, assignee, isCompact }}
          matches={/(^|&)search=/.test(search) ? ticket.matches : undefined}
        />
      </Link>
    </div>
  );
});

type TextProps = {
  ticket: Ticket;
  person: string;
  assignee: string | undefined;
  isCompact: boolean;
  /** Words to mark. */
  matches: readonly string[] | undefined;
};

function RowText({ ticket, person, assignee, isCompact, matches }: TextProps) {
  const { subject, lastMessage, lastMessageAt, messageCount, unread } = ticket;
  return (
    <>
      <span className={styles.person} dir="auto">
        {unread === true && (
          <>
            <span className={styles.dot} aria-hidden="true" />
            <span className="visually-hidden">{words('row.unread')}</span>
          </>
        )}
        {person}
      </span>
      {messageCount > 1 && <span className={styles.count}>{messageCount}</span>}
      <Marks ticket={ticket} />
      <time className={styles.time} dateTime={lastMessageAt} title={fullTime(lastMessageAt)}>
        {shortTime(lastMessageAt)}
      </time>
      <span className={styles.subject} dir="auto">
        <Marked text={subject} matches={matches} />
        {isCompact && lastMessage !== null && (
          <span className={styles.inlineSnippet}>
            {' – '}
            <Marked text={lastMessage.snippet} matches={matches} />
          </span>
        )}
      </span>
      {!isCompact && <LastLine ticket={ticket} assignee={assignee} matches={matches} />}
    </>
  );
}

/** A text with the words marked that a search found. */
function Marked({ text, matches = [] }: { text: string; matches?: readonly string[] | undefined }) {
  if (matches.length === 0) return text;
  // Matches are letters and digits alone. Of two matches that begin alike the longer match counts.
  const longestFirst = matches.toSorted((a, b) => b.length - a.length);
  const parts = text.split(new RegExp(`(${longestFirst.join('|')})`, 'u'));
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing else that tells them apart
  return parts.map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part));
}

function LastLine({ ticket, assignee, matches }: Pick<TextProps, 'ticket' | 'assignee' | 'matches'>) {
  const { workspace } = usePlace();
  const { ticketNumber, tags, lastMessage } = ticket;
  return (
    <span className={styles.last}>
      <span>#{ticketNumber}</span>
      {tags.length > 0 && <TagNames workspaceId={workspace.id} tags={tags.slice(0, 2)} className={styles.tag} />}
      {tags.length > 2 && <span>+{tags.length - 2}</span>}
      <span className={styles.snippet} dir="auto">
        <Marked text={lastMessage?.snippet ?? ''} matches={matches} />
      </span>
      {assignee !== undefined && (
        <span className={styles.assignee} title={words('row.assignee', { person: assignee })}>
          {initialsOf(assignee)}
        </span>
      )}
    </span>
  );
}

/** Marks for people at the ticket, delivery problems, drafts, files, snooze, status and waiting time. */
function Marks({ ticket }: { ticket: Ticket }) {
  const { id, deliveryProblem, hasDraft, attachmentCount, snoozedUntil, waitingSince, status } = ticket;
  return (
    <span className={styles.marks}>
      <Faces ticketId={id} isSmall />
      {deliveryProblem !== null && <b className={styles.bad}>{words(`delivery.${deliveryProblem}`)}</b>}
      {hasDraft === true && <span className={styles.draft}>{words('row.draft')}</span>}
      {attachmentCount > 0 && <Mark icon="paperclip" text={words('row.files', { count: attachmentCount })} />}
      {snoozedUntil !== null && (
        <Mark icon="clock" text={words('ticket.snoozedUntil', { time: fullTime(snoozedUntil) })} />
      )}
      {status !== 'open' && <span>{words(`status.${status}`)}</span>}
      {waitingSince !== null && (
        <span title={words('row.waiting', { time: fullTime(waitingSince) })} className={styles.waiting}>
          {ageWords(waitingSince)}
        </span>
      )}
    </span>
  );
}

function Mark({ icon, text }: { icon: IconName; text: string }) {
  return (
    <span title={text} className={styles.mark}>
      <Icon name={icon} />
      <span className="visually-hidden">{text}</span>
    </span>
  );
}
