import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import type { Ticket } from '../../api/client.ts';
import { fullTime } from '../../lib/dates.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { StatusDot } from '../../tickets/Marks.tsx';
import { nameOfContact } from '../../tickets/persons.ts';
import { foundTicketsQuery } from '../../tickets/queries.ts';
import { useRows } from '../../tickets/use-ticket-list.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import styles from './MergePicker.module.css';
import { type Choice, Picker } from './Picker.tsx';
import type { PickerProps } from './picker-props.ts';

/** Chooses the ticket to merge into, tickets of the same person first, and shows both tickets before the merge. */
export function MergePicker({ tickets, onChange }: PickerProps) {
  const [target, setTarget] = useState<Ticket>();
  if (target === undefined) return <TargetPicker sources={tickets} onChoose={setTarget} />;
  return (
    <div className={styles.preview}>
      <h2 className={styles.title}>
        <Icon name="merge" />
        {words('merge.title')}
      </h2>
      <div className={styles.pair}>
        <section aria-label={words('merge.from')}>
          <h3>{words('merge.from')}</h3>
          {tickets.slice(0, previewMax).map((ticket) => (
            <Summary key={ticket.id} ticket={ticket} />
          ))}
          {tickets.length > previewMax && <p>{words('merge.more', { count: tickets.length - previewMax })}</p>}
        </section>
        <section className={styles.kept} aria-label={words('merge.into')}>
          <h3>{words('merge.into')}</h3>
          <Summary ticket={target} />
        </section>
      </div>
      <p>{words('merge.what', { number: target.ticketNumber })}</p>
      {tickets.some((ticket) => ticket.requester?.contactId !== target.requester?.contactId) && (
        <p role="alert" className={styles.warning}>
          <Icon name="alert" />
          {words('merge.otherPerson')}
        </p>
      )}
      <div className={styles.actions}>
        <Button onClick={() => setTarget(undefined)}>{words('merge.other')}</Button>
        <Button
          look="primary"
          autoFocus
          onClick={() => {
            closeOverlay();
            onChange({ kind: 'merge', targetId: target.id });
            navigate(paths.ticket(target.ticketNumber, window.location.search.slice(1)));
          }}
        >
          {words('merge.do', { number: target.ticketNumber })}
        </Button>
      </div>
    </div>
  );
}

const previewMax = 3;

function Summary({ ticket }: { ticket: Ticket }) {
  const { ticketNumber, subject, requester, messageCount, lastMessageAt, status } = ticket;
  return (
    <dl className={styles.summary}>
      <dt dir="auto">
        #{ticketNumber} {subject}
      </dt>
      {requester !== null && (
        <dd>
          <Avatar name={nameOfContact(requester)} of={requester.email} size={20} />
          {nameOfContact(requester)}
        </dd>
      )}
      <dd>
        <StatusDot status={status} />
        {words(`status.${status}`)} · {words('merge.messages', { count: messageCount })} · {fullTime(lastMessageAt)}
      </dd>
    </dl>
  );
}

function TargetPicker({ sources, onChoose }: { sources: readonly Ticket[]; onChoose: (ticket: Ticket) => void }) {
  const { workspace } = usePlace();
  const rows = useRows(workspace.id);
  const [text, setText] = useState('');
  const email = sources[0]?.requester?.email;
  const ofPerson = useQuery(foundTicketsQuery(workspace.id, email ?? '')).data ?? [];
  const found = useQuery(foundTicketsQuery(workspace.id, useDeferredValue(text.trim()))).data ?? [];
  const sourceIds = new Set(sources.map(({ id }) => id));
  const known = new Map(
    [...[...rows.values()].map(({ shown }) => shown), ...ofPerson, ...found].map((row) => [row.id, row]),
  );
  const targets = [...known.values()].filter(({ id, mergedIntoId }) => mergedIntoId === null && !sourceIds.has(id));
  const isTheirs = ({ requester }: Ticket) => email !== undefined && requester?.email === email;
  const choice = (ticket: Ticket): Choice => ({
    id: ticket.id,
    text: `#${ticket.ticketNumber} ${ticket.subject}`,
    mark: (
      <Avatar
        name={ticket.requester === null ? words('app') : nameOfContact(ticket.requester)}
        of={ticket.requester?.email ?? ''}
        size={20}
      />
    ),
    detail: ticket.requester === null ? '' : nameOfContact(ticket.requester),
    // The service also finds word forms, so its results match the typed text.
    ...(found.some(({ id }) => id === ticket.id) ? { also: text } : {}),
    run: () => onChoose(ticket),
  });
  return (
    <Picker
      label={words('command.merge')}
      placeholder={words('picker.merge')}
      onWords={setText}
      groups={[
        { name: words('merge.samePerson'), choices: targets.filter(isTheirs).map(choice) },
        { name: words('list.tickets'), choices: targets.filter((ticket) => !isTheirs(ticket)).map(choice) },
      ]}
    />
  );
}
