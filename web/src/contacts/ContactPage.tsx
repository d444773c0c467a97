import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { fullTime, shortTime } from '../lib/dates.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { SessionForm } from '../session/SessionForm.tsx';
import { SidePage } from '../shell/SidePage.tsx';
import { contactQuery } from '../ticket/queries.ts';
import { RemotePicturesChoice } from '../ticket/rail/RemotePicturesChoice.tsx';
import { writeList } from '../tickets/lists.ts';
import { nameOfContact } from '../tickets/persons.ts';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
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
    <SidePage page="contacts" title={titleOf(contact)}>
      <Link href={paths.contacts()}>{words('list.contacts')}</Link>
      {error !== null && contact === undefined && <Fault error={error} onRetry={() => void refetch()} />}
      {contact === undefined && error === null && <p>{words('loading')}</p>}
      {contact !== undefined && (
        <>
          {isErased && <ErasedNote contactId={contact.id} />}
          {canWrite && <NameForm key={contact.id} contactId={contact.id} name={contact.name ?? ''} />}
          {!isErased && <h2>{words('contacts.addresses')}</h2>}
          <ul className={styles.addresses} hidden={isErased}>
            {contact.emails.map((email) => (
              <li key={email}>{email}</li>
            ))}
          </ul>
          {!isErased && <RemotePicturesChoice contactId={contact.id} isAlways={contact.showsRemoteImages} />}
          <h2>{words('contacts.tickets')}</h2>
          {contact.tickets.length === 0 && <p>{words('contacts.noTickets')}</p>}
          <ul className={styles.list} aria-label={words('contacts.tickets')}>
            {contact.tickets.map(({ id, ticketNumber, subject, status, lastMessageAt }) => (
              <li key={id}>
                <Link href={paths.ticket(ticketNumber)}>
                  <b dir="auto">
                    #{ticketNumber} {subject}
                  </b>
                  <span>
                    {words(`status.${status}`)} ·{' '}
                    <time dateTime={lastMessageAt} title={fullTime(lastMessageAt)}>
                      {shortTime(lastMessageAt)}
                    </time>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
          {contact.tickets.length >= ticketsMax && (
            <Link href={paths.list(writeList({ search: contact.email }))}>{words('contacts.allTickets')}</Link>
          )}
          {canWrite && <MergeForm contact={contact} />}
          {workspace.role === 'owner' && !isErased && <EraseForm contact={contact} />}
        </>
      )}
    </SidePage>
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
    <>
      <SessionForm action={words('contacts.save')} onSubmit={save}>
        <Field label={words('contacts.name')} name="name" defaultValue={name} maxLength={200} />
      </SessionForm>
      <p role="status">{isSaved && words('contacts.saved')}</p>
    </>
  );
}
