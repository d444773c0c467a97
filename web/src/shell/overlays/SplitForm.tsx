import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import type { Message } from '../../api/client.ts';
import { shortTime } from '../../lib/dates.ts';
import { withNames } from '../../lib/mentions.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { ticketQuery } from '../../tickets/queries.ts';
import { splitTicket } from '../../tickets/split.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Field } from '../../ui/Field.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import styles from './SplitForm.module.css';

/** Selects messages and moves them to a new ticket. */
export function SplitForm({ ticketNumber, fromId }: { ticketNumber: number; fromId: string | undefined }) {
  const { workspace } = usePlace();
  const { data: ticket } = useQuery(ticketQuery(workspace.id, ticketNumber));
  const [marked, setMarked] = useState<ReadonlySet<string>>(() => {
    const ids = ticket?.messages.map(({ id }) => id) ?? [];
    return new Set(fromId === undefined || !ids.includes(fromId) ? [] : ids.slice(ids.indexOf(fromId)));
  });
  const [, navigate] = useLocation();
  const split = useMutation({
    mutationFn: splitTicket,
    onSuccess: (made) => {
      closeOverlay();
      showToast(words('split.done', { count: marked.size, number: made.ticketNumber }));
      navigate(paths.ticket(made.ticketNumber));
    },
  });
  if (ticket === undefined) return null;
  const isWhole = marked.size === ticket.messages.length;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const newSubject = String(new FormData(event.currentTarget).get('subject')).trim();
    split.mutate({ workspaceId: workspace.id, ticket, messageIds: [...marked], newSubject });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <h2>{words('split.title', { number: ticketNumber })}</h2>
      <ul className={styles.messages}>
        {ticket.messages.map((message) => (
          <li key={message.id}>
            <Checkbox
              checked={marked.has(message.id)}
              onChange={({ target: { checked } }) => {
                const next = new Set(marked);
                if (checked) next.add(message.id);
                else next.delete(message.id);
                setMarked(next);
              }}
            >
              <MessageSummary message={message} />
            </Checkbox>
          </li>
        ))}
      </ul>
      <Field label={words('split.subject')} name="subject" defaultValue={ticket.subject} maxLength={500} required />
      {isWhole && <p role="status">{words('split.whole')}</p>}
      {split.error !== null && <Fault error={split.error} />}
      <div className={styles.actions}>
        <Button onClick={closeOverlay}>{words('split.cancel')}</Button>
        <Button look="primary" type="submit" disabled={marked.size === 0 || isWhole || split.isPending}>
          {marked.size === 0 ? words('split.none') : words('split.do', { count: marked.size })}
        </Button>
      </div>
    </form>
  );
}

function MessageSummary({ message: { author, body, createdAt } }: { message: Message }) {
  return (
    <span className={styles.message}>
      <strong dir="auto">{author.name ?? author.email ?? words('app')}</strong>
      <time dateTime={createdAt}>{shortTime(createdAt)}</time>
      <span className={styles.words} dir="auto">
        {withNames(body, author)}
      </span>
    </span>
  );
}
