import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { fullTime } from '../../lib/dates.ts';
import { usePlace } from '../../session/Guard.tsx';
import { membersQuery } from '../../tickets/queries.ts';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Field } from '../../ui/Field.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import styles from './Blocked.module.css';
import { type BlockedSender, block, blockedSendersQuery, unblock } from './queries.ts';

/** The addresses and domains whose mail becomes spam. */
export function BlockedSettings() {
  const { workspace } = usePlace();
  const isWriter = workspace.role !== 'viewer';
  return (
    <>
      {isWriter && (
        <Section title={words('blocked.add')} hint={words('blocked.addHint')}>
          <BlockForm />
        </Section>
      )}
      <Entries isWriter={isWriter} />
    </>
  );
}

function BlockForm() {
  const { workspace } = usePlace();
  const [sender, setSender] = useState('');
  const add = useMutation({
    mutationFn: (evenShared: boolean) => block({ workspaceId: workspace.id, sender, evenShared }),
    onSuccess: (entry) => {
      setSender('');
      showToast(words('block.done', { who: entry.sender }));
    },
    onError: (error) => {
      const isShared = error instanceof ApiError && error.key === 'blocked_sender.shared_domain';
      if (isShared && window.confirm(words('blocked.sureShared', { domain: String(error.params.domain) })))
        add.mutate(true);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    add.mutate(false);
  };
  return (
    <form onSubmit={submit}>
      <Field
        label={words('blocked.sender')}
        value={sender}
        required
        maxLength={254}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setSender(target.value)}
      />
      {add.error !== null && <Fault error={add.error} />}
      <Button look="primary" type="submit" disabled={add.isPending}>
        {words('blocked.do')}
      </Button>
    </form>
  );
}

function Entries({ isWriter }: { isWriter: boolean }) {
  const { workspace } = usePlace();
  const [search, setSearch] = useState('');
  const place = useRef<HTMLDivElement>(null);
  const pages = useInfiniteQuery(blockedSendersQuery(workspace.id, search));
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = pages;
  const entries = data?.pages.flatMap(({ items }) => items) ?? [];
  const none = search.trim() === '' ? 'blocked.none' : 'blocked.noMatch';
  return (
    <Section title={words('blocked.list')} hint={words('blocked.hint')}>
      <Field
        label={words('blocked.search')}
        type="search"
        value={search}
        maxLength={254}
        onChange={({ target }) => setSearch(target.value)}
      />
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      {entries.length === 0 && error === null && <p role="status">{words(isPending ? 'loading' : none)}</p>}
      <div ref={place} tabIndex={-1} className={styles.rest}>
        <ul aria-label={words('blocked.list')}>
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} isWriter={isWriter} onGone={() => place.current?.focus()} />
          ))}
        </ul>
      </div>
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words('blocked.more')}
        </Button>
      )}
    </Section>
  );
}

type EntryProps = {
  entry: BlockedSender;
  isWriter: boolean /** Takes the focus from a line that leaves. */;
  onGone: () => void;
};

function Entry({ entry: { id, sender, kind, createdBy, createdAt }, isWriter, onGone }: EntryProps) {
  const { workspace } = usePlace();
  const members = useQuery(membersQuery(workspace.id)).data;
  const member = members?.find(({ userId }) => userId === createdBy);
  const remove = useMutation({
    mutationFn: () => unblock(workspace.id, id),
    onSuccess: () => {
      onGone();
      showToast(words('blocked.removed', { sender }));
    },
  });
  const person = member === undefined ? words('event.formerMember') : (member.name ?? member.email);
  return (
    <li>
      <span>
        <b>{kind === 'domain' ? words('blocked.domain', { domain: sender }) : sender}</b>
        <br />
        <small>{words('blocked.by', { person, time: fullTime(createdAt) })}</small>
      </span>
      {isWriter && (
        <Button
          aria-label={words('blocked.removeNamed', { sender })}
          disabled={remove.isPending}
          onClick={() => remove.mutate()}
        >
          {words('blocked.remove')}
        </Button>
      )}
      {remove.error !== null && <Fault error={remove.error} />}
    </li>
  );
}
