import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../api/client.ts';
import { Composer } from '../compose/Composer.tsx';
import type { ComposerMode } from '../inbox/InboxPage.tsx';
import { usePlace } from '../session/Guard.tsx';
import { membersQuery, ticketQuery } from '../tickets/queries.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { MessageView } from './MessageView.tsx';
import styles from './TicketPane.module.css';

type Props = {
  number: number;
  backTo: string;
  composing: ComposerMode | undefined;
  onCompose: (mode: ComposerMode | undefined) => void;
  onCloseOrReopen: () => void;
  onAssign: (assigneeId: string | null) => void;
  /** Why the last change was refused. */
  fault: Error | null;
};

export function TicketPane({ number, backTo, composing, onCompose, onCloseOrReopen, onAssign, fault }: Props) {
  const { workspace } = usePlace();
  const { data: ticket, error, refetch } = useQuery(ticketQuery(workspace.id, number));
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  useEffect(() => {
    document.title = ticket === undefined ? words('app') : `#${number} ${ticket.subject} · ${words('app')}`;
  }, [number, ticket]);
  const back = (
    <Link href={backTo} className={styles.back ?? ''}>
      {words('ticket.back')}
    </Link>
  );
  if (ticket === undefined)
    return (
      <div className={styles.pane}>
        {back}
        {error === null && <p>{words('loading')}</p>}
        {error instanceof ApiError && error.status < 500 ? (
          <p role="alert">{words('ticket.notFound')}</p>
        ) : (
          error !== null && <Fault error={error} onRetry={() => void refetch()} />
        )}
      </div>
    );
  return (
    <article className={styles.pane} aria-labelledby="ticket-subject">
      {back}
      <header className={styles.head}>
        <h1 id="ticket-subject">{ticket.subject}</h1>
        <div className={styles.fields}>
          <span>#{ticket.ticketNumber}</span>
          <span data-status={ticket.status} className={styles.status}>
            {words(`status.${ticket.status}`)}
          </span>
          <label>
            <span className="visually-hidden">{words('ticket.assignee')}</span>
            <select
              value={ticket.assigneeId ?? ''}
              onChange={(event) => onAssign(event.target.value === '' ? null : event.target.value)}
            >
              <option value="">{words('ticket.nobody')}</option>
              {members.map(({ userId, name, email }) => (
                <option key={userId} value={userId}>
                  {name ?? email}
                </option>
              ))}
            </select>
          </label>
          <Button onClick={onCloseOrReopen} aria-keyshortcuts="e">
            {words(ticket.status === 'closed' ? 'ticket.reopen' : 'ticket.close')}
          </Button>
        </div>
        {ticket.mergedIntoId !== null && <p role="status">{words('ticket.merged')}</p>}
        {fault !== null && <Fault error={fault} />}
      </header>
      <div className={styles.messages}>
        {ticket.messages.map((message) => (
          <MessageView key={message.id} message={message} />
        ))}
      </div>
      {ticket.mergedIntoId === null && <Composer ticket={ticket} mode={composing} onMode={onCompose} />}
    </article>
  );
}
