import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Ticket } from '../api/client.ts';
import type { operations } from '../api/schema.d.ts';
import { fullTime, shortTime } from '../lib/dates.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { SessionForm } from '../session/SessionForm.tsx';
import { SidePage } from '../shell/SidePage.tsx';
import { copyText } from '../ticket/copy-text.ts';
import { contactQuery } from '../ticket/queries.ts';
import { RemotePicturesChoice } from '../ticket/rail/RemotePicturesChoice.tsx';
import { writeList } from '../tickets/lists.ts';
import { StatusDot } from '../tickets/Marks.tsx';
import { nameOfContact } from '../tickets/persons.ts';
import { membersQuery } from '../tickets/queries.ts';
import { Avatar } from '../ui/Avatar.tsx';
import { buttonClass, IconButton } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { Icon } from '../ui/Icon.tsx';
import { words } from '../words/words.ts';
import styles from './Contacts.module.css';
import { ErasedNote, EraseForm } from './EraseForm.tsx';
import { MergeForm } from './MergeForm.tsx';
import { renameContact } from './queries.ts';
import { ticketsMax } from './tickets-max.ts';

/** A person who writes: name, addresses, tickets, and the merge with another contact. */
export function ContactPage({ contactId }: { contactId: string }) {
  const { workspace } = usePlace();
  const { data: contact, error, refetch } = useQuery(contactQuery(workspace.id, contactId));
  const isErased = contact !== undefined && contact.erasedAt !== null;
  const canWrite = workspace.role !== 'viewer' && !isErased;
  return (
    <SidePage
      page="contacts"
      isWide
      title={titleOf(contact)}
      face={contact !== undefined && !isErased && <Avatar size={56} name={nameOfContact(contact)} of={contact.email} />}
      action={
        canWrite &&
        contact !== undefined && (
          <Link href={paths.newTicketTo(contact.email)} className={buttonClass('primary')}>
            <Icon name="compose" />
            {words('new.title')}
          </Link>
        )
      }
      lead={
        <Link href={paths.contacts()} className={styles.back}>
          <Icon name="left" size={14} />
          {words('list.contacts')}
        </Link>
      }
    >
      {error !== null && contact === undefined && <Fault error={error} onRetry={() => void refetch()} />}
      {contact === undefined && error === null && <p>{words('loading')}</p>}
      {contact !== undefined && (
        <>
          {isErased && <ErasedNote contactId={contact.id} />}
          <div className={styles.columns}>
            <div className={styles.side}>
              {!isErased && <Addresses contact={contact} />}
              {canWrite && <NameForm key={contact.id} contactId={contact.id} name={contact.name ?? ''} />}
            </div>
            <div className={styles.wide}>
              <Tickets contact={contact} />
              {canWrite && <MergeForm contact={contact} />}
              {workspace.role === 'owner' && !isErased && <EraseForm contact={contact} />}
            </div>
          </div>
        </>
      )}
    </SidePage>
  );
}

type Person = operations['readContact']['responses']['200']['content']['application/json'];

/** Where the person is reached, and whether their pictures show. */
function Addresses({ contact }: { contact: Person }) {
  return (
    <section className={styles.block} aria-labelledby="addresses">
      <h2 id="addresses">{words('contacts.addresses')}</h2>
      <div className={styles.card}>
        <ul className={styles.addresses}>
          {contact.emails.map((email) => (
            <li key={email}>
              <Icon name="mail" />
              <span>{email}</span>
              <IconButton
                icon="copy"
                aria-label={words('rail.copy', { what: email })}
                onClick={() => void copyText(email)}
              />
            </li>
          ))}
        </ul>
        <div className={styles.pictures}>
          <RemotePicturesChoice contactId={contact.id} isAlways={contact.showsRemoteImages} />
        </div>
      </div>
    </section>
  );
}

function Tickets({ contact }: { contact: Person }) {
  const { workspace } = usePlace();
  const members = useQuery(membersQuery(workspace.id)).data ?? [];
  const { tickets } = contact;
  return (
    <section className={styles.block} aria-labelledby="tickets">
      <h2 id="tickets">
        {words('contacts.tickets')} {tickets.length > 0 && <span className={styles.count}>{tickets.length}</span>}
      </h2>
      {tickets.length === 0 && <p className={styles.hint}>{words('contacts.noTickets')}</p>}
      <ul className={styles.card} aria-label={words('contacts.tickets')}>
        {tickets.map((ticket) => (
          <li key={ticket.id}>
            <TicketLine ticket={ticket} assignee={members.find(({ userId }) => userId === ticket.assigneeId)} />
          </li>
        ))}
      </ul>
      {tickets.length >= ticketsMax && (
        <Link href={paths.list(writeList({ search: contact.email }))}>{words('contacts.allTickets')}</Link>
      )}
    </section>
  );
}

type LineProps = { ticket: Ticket; assignee: { userId: string; name: string | null; email: string } | undefined };

function TicketLine({ ticket, assignee }: LineProps) {
  const { ticketNumber, subject, status, lastMessageAt, lastMessage } = ticket;
  const name = assignee?.name ?? assignee?.email;
  return (
    <Link href={paths.ticket(ticketNumber)} className={styles.ticket}>
      <StatusDot status={status} />
      <b dir="auto">{subject}</b>
      <span className={styles.sub} dir="auto">
        #{ticketNumber} · {words(`status.${status}`)}
        {lastMessage !== null && ` · ${lastMessage.snippet}`}
      </span>
      <span className={styles.end}>
        <time dateTime={lastMessageAt} title={fullTime(lastMessageAt)}>
          {shortTime(lastMessageAt)}
        </time>
        {assignee !== undefined && name !== undefined && (
          <span title={name}>
            <Avatar isTeam size={20} name={name} of={assignee.userId} />
          </span>
        )}
      </span>
    </Link>
  );
}

type Titled = { name: string | null; email: string; erasedAt: string | null };

function titleOf(contact: Titled | undefined): string {
  if (contact === undefined) return words('list.contacts');
  return nameOfContact(contact);
}

function NameForm({ contactId, name }: { contactId: string; name: string }) {
  const { workspace } = usePlace();
  const [isSaved, setIsSaved] = useState(false);
  const save = async (form: Record<string, string>) => {
    setIsSaved(false);
    await renameContact(workspace.id, contactId, form.name ?? '');
    setIsSaved(true);
  };
  return (
    <section className={styles.block}>
      <div className={styles.form}>
        <SessionForm action={words('contacts.save')} onSubmit={save}>
          <Field label={words('contacts.name')} name="name" defaultValue={name} maxLength={200} />
        </SessionForm>
        <p role="status">{isSaved && words('contacts.saved')}</p>
      </div>
    </section>
  );
}
