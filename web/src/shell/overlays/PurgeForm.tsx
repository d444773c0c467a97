import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { Ticket } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { readPlace, writePlace } from '../../tickets/lists.ts';
import { purgeTickets } from '../../tickets/purge.ts';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import styles from './SplitForm.module.css';

/** Names the data that is deleted for good, and deletes the tickets once the person confirms. */
export function PurgeForm({ tickets }: { tickets: readonly Ticket[] }) {
  const { workspace } = usePlace();
  const [purged, setPurged] = useState(0);
  const { list, viewId } = readPlace(useSearch());
  const [, navigate] = useLocation();
  const purge = useMutation({
    mutationFn: () => purgeTickets({ workspaceId: workspace.id, tickets, onStep: setPurged }),
    onSuccess: (refusals) => {
      const count = tickets.length - refusals.length;
      if (count > 0) showToast(words('purge.done', { count }));
      if (refusals.length > 0) return;
      closeOverlay();
      navigate(paths.list(writePlace(list, viewId)));
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    purge.mutate();
  };
  const what = whatOf(tickets);
  return (
    <form className={styles.form} onSubmit={submit}>
      <h2>{words('purge.title', { what })}</h2>
      <p>{words('purge.what', { what, messages: messagesIn(tickets) })}</p>
      <p>{words('purge.files')}</p>
      <p>
        <strong>{words('purge.never')}</strong> {words('purge.sent')}
      </p>
      {purge.isPending && <p role="status">{words('purge.progress', { count: purged, total: tickets.length })}</p>}
      {purge.error !== null && <Fault error={purge.error} />}
      {purge.data !== undefined && purge.data.length > 0 && (
        <ul role="alert">
          {purge.data.map(({ ticketNumber, reason }) => (
            <li key={ticketNumber}>
              #{ticketNumber}: {reason}
            </li>
          ))}
        </ul>
      )}
      <div className={styles.actions}>
        <Button onClick={closeOverlay} autoFocus>
          {words('split.cancel')}
        </Button>
        <Button look="primary" type="submit" disabled={purge.isPending}>
          {words('purge.do', { what })}
        </Button>
      </div>
    </form>
  );
}

function whatOf(tickets: readonly Ticket[]): string {
  const [first, ...others] = tickets;
  return others.length === 0 ? `#${first?.ticketNumber ?? ''}` : words('change.tickets', { count: tickets.length });
}

function messagesIn(tickets: readonly Ticket[]): string {
  const count = tickets.reduce((sum, { messageCount }) => sum + messageCount, 0);
  return words('purge.messages', { count });
}
