import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { SidePage } from '../shell/SidePage.tsx';
import { nameOfContact } from '../tickets/persons.ts';
import { Avatar } from '../ui/Avatar.tsx';
import { Button } from '../ui/Button.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Icon } from '../ui/Icon.tsx';
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
        <Icon name="search" />
        <input
          className="bare-field"
          aria-label={words('contacts.search')}
          placeholder={words('contacts.search')}
          type="search"
          dir="auto"
          // biome-ignore lint/a11y/noAutofocus: the page is there to find a person
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
      {contacts?.length === 0 && (
        <Empty icon="contacts">{words(search === '' ? 'contacts.none' : 'contacts.noneFound')}</Empty>
      )}
      <ul ref={links} className={styles.card} aria-label={words('list.contacts')}>
        {contacts?.map(({ id, name, email, emails }) => (
          <li key={id}>
            <Link href={paths.contact(id)} className={styles.person}>
              <Avatar name={nameOfContact({ name, email })} of={email} />
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
