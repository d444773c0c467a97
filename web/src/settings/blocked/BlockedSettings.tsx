import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { itemsOf } from '../../api/items.ts';
import { fullTime } from '../../lib/dates.ts';
import { useNameOf } from '../../people/MemberFace.tsx';
import { usePlace } from '../../session/Guard.tsx';
import { Action } from '../../ui/Action.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Field } from '../../ui/Field.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
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
  const source = useInfiniteQuery({ ...blockedSendersQuery(workspace.id, search), select: itemsOf });
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
      <PagedList label={words('blocked.list')} source={source} none={words(none)} more={words('blocked.more')}>
        {(entry, onGone) => <Entry key={entry.id} entry={entry} isWriter={isWriter} onGone={onGone} />}
      </PagedList>
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
  const person = useNameOf()(createdBy);
  const remove = async () => {
    await unblock(workspace.id, id);
    onGone();
    showToast(words('blocked.removed', { sender }));
  };
  return (
    <li>
      <span>
        <b>{kind === 'domain' ? words('blocked.domain', { domain: sender }) : sender}</b>
        <br />
        <small>{words('blocked.by', { person, time: fullTime(createdAt) })}</small>
      </span>
      {isWriter && (
        <Action aria-label={words('blocked.removeNamed', { sender })} run={remove}>
          {words('blocked.remove')}
        </Action>
      )}
    </li>
  );
}
