import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Ticket } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { nameOfContact } from '../../tickets/persons.ts';
import { membersQuery } from '../../tickets/queries.ts';
import { Avatar } from '../../ui/Avatar.tsx';
import { Button, IconButton } from '../../ui/Button.tsx';
import choices from '../../ui/Choices.module.css';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { words } from '../../words/words.ts';
import { closeOverlay } from '../overlay.ts';
import styles from './MergeForm.module.css';
import { MergePreview } from './MergePreview.tsx';

type Props = {
  /** All tickets that become one. The first stays unless the person chooses another. */
  tickets: readonly Ticket[];
  onOther: () => void;
  onMerge: (kept: Ticket) => void;
};

/** Asks which ticket stays, and shows what it will have. */
export function MergeForm({ tickets, onOther, onMerge }: Props) {
  const [keptId, setKeptId] = useState(tickets[0]?.id);
  const form = useRef<HTMLFormElement>(null);
  // At the choice: arrow keys change it, and ⏎ merges. After the layout effect that opens the dialog.
  useEffect(() => form.current?.querySelector<HTMLElement>(':checked')?.focus(), []);
  const kept = tickets.find(({ id }) => id === keptId);
  if (kept === undefined) return null;
  const people = new Set(tickets.map(({ requester }) => requester?.contactId));
  return (
    <form
      ref={form}
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        onMerge(kept);
      }}
    >
      <header className={styles.head}>
        <Icon name="merge" />
        <h2>{words('merge.title', { count: tickets.length })}</h2>
        <IconButton icon="close" size="control" aria-label={words('help.close')} onClick={closeOverlay} />
      </header>
      <div className={styles.body}>
        <p>{words('merge.what')}</p>
        <fieldset className={`${choices.choices} ${styles.cards}`}>
          <legend className="visually-hidden">{words('merge.which')}</legend>
          {tickets.map((ticket) => (
            <Card key={ticket.id} ticket={ticket} isKept={ticket === kept} onKeep={() => setKeptId(ticket.id)} />
          ))}
        </fieldset>
        {people.size > 1 && (
          <Notice tone="warn" role="alert">
            {words('merge.otherPerson')}
          </Notice>
        )}
        <MergePreview tickets={tickets} kept={kept} />
      </div>
      <footer className={styles.foot}>
        <span>{words('merge.canUndo')}</span>
        <Button look="quiet" onClick={onOther}>
          {words('merge.other')}
        </Button>
        <Button look="primary" type="submit">
          {words('merge.do', { number: kept.ticketNumber })}
        </Button>
      </footer>
    </form>
  );
}

function Card({ ticket, isKept, onKeep }: { ticket: Ticket; isKept: boolean; onKeep: () => void }) {
  const { workspace } = usePlace();
  const { ticketNumber, subject, requester, messageCount, status, assigneeId } = ticket;
  const assignee = useQuery(membersQuery(workspace.id)).data?.find(({ userId }) => userId === assigneeId);
  const facts = [
    ...(requester === null ? [] : [nameOfContact(requester)]),
    words(`status.${status}`),
    ...(assignee === undefined ? [] : [assignee.name ?? assignee.email]),
  ];
  return (
    <label>
      <input type="radio" name="kept" checked={isKept} onChange={onKeep} />
      <span className={styles.card}>
        <span className={styles.role}>
          <b>{words(isKept ? 'merge.keeps' : 'merge.goes')}</b>
          <span>
            #{ticketNumber} · {words('merge.messages', { count: messageCount })}
          </span>
        </span>
        <span className={styles.subject} dir="auto">
          {subject}
        </span>
        <span className={styles.who}>
          {requester !== null && <Avatar name={nameOfContact(requester)} of={requester.email} size={20} />}
          <span className={styles.cut}>{facts.join(' · ')}</span>
        </span>
      </span>
    </label>
  );
}
