import { type KeyboardEvent, type MouseEvent, memo } from 'react';
import { Link } from 'wouter';
import type { Ticket } from '../api/client.ts';
import { fullTime, shortTime } from '../lib/dates.ts';
import { paths } from '../paths.ts';
import { words } from '../words/words.ts';
import styles from './TicketRow.module.css';

/** What can be done with a row; the same functions for all rows and all renderings. */
export type RowActions = {
  onToggle: (id: string) => void;
  onSelectTo: (id: string) => void;
  /** Enter on the row of the ticket that is open already. */
  onEnterTicket: () => void;
  onFocus: (index: number) => void;
  isSelectable: boolean;
};

type Props = {
  ticket: Ticket;
  index: number;
  size: number | undefined;
  search: string;
  isOpen: boolean;
  isSelected: boolean;
  isTabStop: boolean;
  actions: RowActions;
};

export const TicketRow = memo(function TicketRow(props: Props) {
  const { ticket, index, size, search, isOpen, isSelected, isTabStop, actions } = props;
  const { id, ticketNumber, requester } = ticket;
  const person = requester?.name ?? requester?.email ?? words('app');
  const onClick = (event: MouseEvent) => {
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
    // The list is virtual, so a row itself says its place among all.
    <div
      role="listitem"
      aria-setsize={size ?? -1}
      aria-posinset={index + 1}
      className={styles.item}
      data-index={index}
      data-ticket={id}
      data-selected={isSelected}
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
        // The focus stays where the range begins, and no text is selected.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        // The link itself ignores clicks with Shift.
        onClickCapture={onClick}
        onKeyDown={onKeyDown}
        onFocus={() => actions.onFocus(index)}
      >
        {isSelected && <span className="visually-hidden">{words('list.isSelected')}</span>}
        <RowText ticket={ticket} person={person} />
      </Link>
    </div>
  );
});

function RowText({ ticket, person }: { ticket: Ticket; person: string }) {
  const { ticketNumber, subject, lastMessageAt, messageCount, tags, status } = ticket;
  return (
    <>
      <span className={styles.person}>{person}</span>
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
    </>
  );
}
