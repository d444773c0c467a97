import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import styles from './Contacts.module.css';
import { type Contact, contactsQuery, mergeContacts } from './queries.ts';
import { ticketsMax } from './tickets-max.ts';

const offeredMax = 8;

const wordsFor = ({ name, emails }: Pick<Contact, 'name' | 'emails'>) =>
  name === null ? emails.join(', ') : `${name} (${emails.join(', ')})`;

type Mergeable = Contact & { tickets: readonly unknown[] };

/** Merges a contact into another: choose the other, read what will happen, confirm. */
export function MergeForm({ contact }: { contact: Mergeable }) {
  const title = useId();
  const [target, setTarget] = useState<Contact>();
  return (
    <section className={styles.block} aria-labelledby={title}>
      <h2 id={title}>{words('contacts.merge')}</h2>
      <div className={styles.form}>
        <p className={styles.hint}>{words('contacts.mergeHint')}</p>
        {target === undefined ? (
          <Choice contact={contact} onChoose={setTarget} />
        ) : (
          <Confirmation contact={contact} target={target} onCancel={() => setTarget(undefined)} />
        )}
      </div>
    </section>
  );
}

function Choice({ contact, onChoose }: { contact: Mergeable; onChoose: (other: Contact) => void }) {
  const { workspace } = usePlace();
  const [typed, setTyped] = useState('');
  const search = useDeferredValue(typed.trim());
  const { data } = useInfiniteQuery({ ...contactsQuery(workspace.id, search), enabled: search !== '' });
  const found =
    search === ''
      ? []
      : (data?.pages[0]?.items ?? []).filter(({ id, erasedAt }) => id !== contact.id && erasedAt === null);
  return (
    <>
      <div className={styles.field}>
        <Field
          label={words('contacts.into')}
          type="search"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      <ul className={styles.found}>
        {found.slice(0, offeredMax).map((other) => (
          <li key={other.id}>
            <Button aria-label={words('contacts.choose', { person: wordsFor(other) })} onClick={() => onChoose(other)}>
              {wordsFor(other)}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

type ConfirmationProps = { contact: Mergeable; target: Contact; onCancel: () => void };

function Confirmation({ contact, target, onCancel }: ConfirmationProps) {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const merge = useMutation({
    mutationFn: ({ id }: Contact) => mergeContacts(workspace.id, contact.id, id),
    onSuccess: () => showToast(words('contacts.merged')),
  });
  // Not where the person has left the page meanwhile.
  const start = () => merge.mutate(target, { onSuccess: () => navigate(paths.contact(target.id)) });
  const count = contact.tickets.length;
  return (
    <>
      <p role="alert">
        {words(count < ticketsMax ? 'contacts.preview' : 'contacts.previewMany', {
          from: wordsFor(contact),
          count,
          into: wordsFor(target),
        })}
      </p>
      {merge.error !== null && <Fault error={merge.error} />}
      <div className={styles.actions}>
        <Button autoFocus onClick={onCancel}>
          {words('contacts.cancel')}
        </Button>
        <Button look="primary" className={styles.done} disabled={merge.isPending} onClick={start}>
          {words('contacts.confirm')}
        </Button>
      </div>
    </>
  );
}
