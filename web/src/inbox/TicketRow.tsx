import { type KeyboardEvent, type MouseEvent, memo } from 'react';
import { Link } from 'wouter';
import type { Ticket } from '../api/client.ts';
import { paths } from '../paths.ts';
import type { KnownMember } from '../people/MemberFace.tsx';
import { nameOfContact } from '../tickets/persons.ts';
import { Avatar } from '../ui/Avatar.tsx';
import { Checkbox } from '../ui/Checkbox.tsx';
import { useLocale } from '../ui/language.ts';
import { words } from '../words/words.ts';
import { RowText } from './RowText.tsx';
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
  assignee: KnownMember | undefined;
  mailbox: string | undefined;
  /** The team that alone sees the ticket. */
  onlyTeam: string | undefined;
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
  const { ticket, index, size, search, isOpen, isSelected, isTabStop, isCompact, actions } = props;
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
          <Checkbox
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
        {ticket.unread === true && <span className={styles.dot} aria-hidden="true" />}
        <span className={styles.face}>
          <Avatar name={person} of={requester?.email ?? id} size={isCompact ? 20 : 32} />
        </span>
        <RowText {...props} person={person} isFound={/(^|&)search=/.test(search)} />
      </Link>
    </div>
  );
});
