import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { usePlace } from '../session/Guard.tsx';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import styles from './Contacts.module.css';
import { erasePerson, erasureQuery, refreshWorkspace } from './erasure.ts';
import type { Contact } from './queries.ts';

/**
 * Erases a person: names exactly the data that goes and the data that stays, and wants the address and the password
 * typed.
 */
export function EraseForm({ contact }: { contact: Contact }) {
  const title = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section className={styles.block} aria-labelledby={title}>
      <h2 id={title}>{words('erase.title')}</h2>
      <div className={styles.form}>
        <p className={styles.hint}>{words('erase.hint')}</p>
        {isOpen ? (
          <Confirmation contact={contact} onCancel={() => setIsOpen(false)} />
        ) : (
          <Button look="danger" onClick={() => setIsOpen(true)}>
            {words('erase.open')}
          </Button>
        )}
      </div>
    </section>
  );
}

function Confirmation({ contact: { id, email }, onCancel }: { contact: Contact; onCancel: () => void }) {
  const { workspace } = usePlace();
  const { data: preview, error, refetch } = useQuery(erasureQuery(workspace.id, id));
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const erase = useMutation({
    mutationFn: () => erasePerson(workspace.id, id, { email: typed.trim(), password }),
  });
  const isTyped = preview?.emails.some((address) => address.toLowerCase() === typed.trim().toLowerCase()) === true;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isTyped) erase.mutate();
  };
  if (error !== null) return <Fault error={error} onRetry={() => void refetch()} />;
  if (preview === undefined) return <p>{words('loading')}</p>;
  const { ticketsDeleted, ticketsKept, messages, files } = preview;
  return (
    <form className={styles.erase} onSubmit={submit}>
      <h3>{words('erase.goes')}</h3>
      <ul>
        <li>{words('erase.deleted', { count: ticketsDeleted })}</li>
        <li>{words('erase.messages', { messages, files })}</li>
        <li>{words('erase.traces')}</li>
      </ul>
      <h3>{words('erase.stays')}</h3>
      <ul>
        <li>{words('erase.kept', { count: ticketsKept })}</li>
        <li>{words('erase.proof')}</li>
        <li>{words('erase.beyond')}</li>
      </ul>
      <p>
        <strong>{words('erase.never')}</strong>
      </p>
      <Field
        label={words('erase.type', { email })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        autoFocus
      />
      <Field
        label={words('erase.password')}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {erase.error !== null && <Fault error={erase.error} />}
      <div className={styles.actions}>
        <Button onClick={onCancel}>{words('contacts.cancel')}</Button>
        <Button look="primary" className={styles.done} type="submit" disabled={!isTyped || erase.isPending}>
          {words('erase.do')}
        </Button>
      </div>
    </form>
  );
}

/** Tells on the page of an erased person that the work goes on, or which data it erased. */
export function ErasedNote({ contactId }: { contactId: string }) {
  const { workspace } = usePlace();
  const { data } = useQuery({ ...erasureQuery(workspace.id, contactId), enabled: workspace.role === 'owner' });
  const erasure = data?.erasure ?? null;
  const isRunning = erasure?.finishedAt === null;
  useEffect(() => {
    if (!isRunning) return undefined;
    // Tickets that the page shows are gone once the work has ended.
    return () => void refreshWorkspace(workspace.id);
  }, [isRunning, workspace.id]);
  if (erasure === null) return <p role="status">{words('erase.erased')}</p>;
  const { finishedAt, ticketsDeleted, ticketsKept, messagesErased } = erasure;
  const counts = { deleted: ticketsDeleted, kept: ticketsKept, messages: messagesErased };
  return <p role="status">{words(finishedAt === null ? 'erase.running' : 'erase.done', counts)}</p>;
}
