import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { chooseFolders, type Folders, readFolders, useParams } from './changes.ts';
import styles from './mailboxes.module.css';

/** The folders of a mailbox that are read. They are on its server, so they show on request. */
export function MailboxFolders({ mailboxId }: { mailboxId: string }) {
  const params = useParams(mailboxId);
  const list = useMutation({ mutationFn: () => readFolders(params) });
  return (
    <Section title={words('mailboxes.folders')} hint={words('mailboxes.foldersHint')}>
      {list.data === undefined ? (
        <Button disabled={list.isPending} onClick={() => list.mutate()}>
          {words(list.isPending ? 'mailboxes.foldersRun' : 'mailboxes.foldersNow')}
        </Button>
      ) : (
        <FolderChoice params={params} folders={list.data.folders} />
      )}
      {list.error !== null && <Fault error={list.error} />}
    </Section>
  );
}

function FolderChoice({ params, folders }: { params: ReturnType<typeof useParams>; folders: Folders['folders'] }) {
  const inboxes = folders.filter(({ use }) => use !== 'sent');
  const [chosen, setChosen] = useState(() => inboxes.flatMap(({ path, isRead }) => (isRead ? [path] : [])));
  const save = useMutation({
    mutationFn: () => chooseFolders(params, chosen),
    onSuccess: () => showToast(words('mailboxes.foldersSaved')),
  });
  const toggle = (path: string) =>
    setChosen((before) => (before.includes(path) ? before.filter((each) => each !== path) : [...before, path]));
  return (
    <form
      className={styles.stack}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <fieldset className={styles.stack}>
        <legend>{words('mailboxes.foldersChosen')}</legend>
        {inboxes.map(({ path }) => (
          <label key={path}>
            <input type="checkbox" checked={chosen.includes(path)} onChange={() => toggle(path)} /> {path}
          </label>
        ))}
      </fieldset>
      {save.error !== null && <Fault error={save.error} />}
      <Button type="submit" look="primary" disabled={save.isPending || chosen.length === 0}>
        {words('mailboxes.foldersSave')}
      </Button>
    </form>
  );
}
