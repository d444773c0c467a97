import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { SidePage } from '../shell/SidePage.tsx';
import { nameOfContact } from '../tickets/persons.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import styles from './Contacts.module.css';
import { contactsQuery } from './queries.ts';

/** Everybody who has written, found by name or address. */
export function ContactsPage() {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const asked = new URLSearchParams(useSearch()).get('search') ?? '';
  const [typed, setTyped] = useState(asked);
  const search = useDeferredValue(typed.trim());
  const list = useInfiniteQuery(contactsQuery(workspace.id, search));
  const links = useRef<HTMLUListElement>(null);
  const contacts = list.data?.pages.flatMap((page) => page.items);
  return (
    <SidePage page="contacts" title={words('list.contacts')}>
      <div className={styles.search}>
        <Field
          label={words('contacts.search')}
          type="search"
          autoFocus
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            navigate(paths.contacts(target.value.trim()), { replace: true });
          }}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            links.current?.querySelector('a')?.focus();
          }}
        />
      </div>
      {list.error !== null && <Fault error={list.error} onRetry={() => void list.refetch()} />}
      {contacts === undefined && list.error === null && <p>{words('loading')}</p>}
      {contacts?.length === 0 && <p role="status">{words(search === '' ? 'contacts.none' : 'contacts.noneFound')}</p>}
      <ul ref={links} className={styles.list} aria-label={words('list.contacts')}>
        {contacts?.map(({ id, name, email, emails }) => (
          <li key={id}>
            <Link href={paths.contact(id)}>
              <b dir="auto">{nameOfContact({ name, email })}</b>
              <span>{(name === null ? emails.slice(1) : emails).join(', ')}</span>
            </Link>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {words('contacts.more')}
        </Button>
      )}
    </SidePage>
  );
}
