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
        <FolderChoice params={params} present={list.data} />
      )}
      {list.error !== null && <Fault error={list.error} />}
    </Section>
  );
}

function FolderChoice({ params, present }: { params: ReturnType<typeof useParams>; present: Folders }) {
  const [sentPath, setSentPath] = useState(present.sentPath);
  const [after, setAfter] = useState({ afterIntake: present.afterIntake, movePath: present.movePath });
  const [chosen, setChosen] = useState(() =>
    present.folders.flatMap(({ path, isRead }) => (isRead && path !== present.sentPath ? [path] : [])),
  );
  const inboxes = present.folders.map(({ path }) => path).filter((path) => path !== sentPath);
  const save = useMutation({
    mutationFn: () => chooseFolders(params, { inboxPaths: chosen, sentPath, ...after }),
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
        {inboxes.map((path) => (
          <label key={path}>
            <input type="checkbox" checked={chosen.includes(path)} onChange={() => toggle(path)} /> {path}
          </label>
        ))}
      </fieldset>
      <label>
        {words('mailboxes.sentFolder')}{' '}
        <select value={sentPath ?? ''} onChange={(event) => setSentPath(event.target.value || null)}>
          <option value="">{words('mailboxes.sentFolder.none')}</option>
          {present.folders
            .filter(({ path }) => !chosen.includes(path))
            .map(({ path }) => (
              <option key={path}>{path}</option>
            ))}
        </select>
      </label>
      <AfterChoice
        after={after}
        ways={present.canMove ? afterWays : afterWays.filter((way) => way !== 'move')}
        targets={inboxes.filter((path) => !chosen.includes(path))}
        onChange={setAfter}
      />
      {save.error !== null && <Fault error={save.error} />}
      <Button type="submit" look="primary" disabled={save.isPending || chosen.length === 0}>
        {words('mailboxes.foldersSave')}
      </Button>
    </form>
  );
}

const afterWays = ['leave', 'seen', 'move'] as const;
type After = Pick<Folders, 'afterIntake' | 'movePath'>;

/** What becomes of a mail on the server once it is a ticket. */
function AfterChoice({
  after: { afterIntake, movePath },
  ways,
  targets,
  onChange,
}: {
  after: After;
  ways: readonly After['afterIntake'][];
  targets: readonly string[];
  onChange: (after: After) => void;
}) {
  const target = movePath !== null && targets.includes(movePath) ? movePath : null;
  const choose = (way: string) => {
    const chosen = ways.find((each) => each === way) ?? 'leave';
    onChange({ afterIntake: chosen, movePath: chosen === 'move' ? (target ?? targets[0] ?? null) : movePath });
  };
  return (
    <>
      <label>
        {words('mailboxes.after')}{' '}
        <select value={afterIntake} onChange={(event) => choose(event.target.value)}>
          {ways.map((way) => (
            <option key={way} value={way}>
              {words(`mailboxes.after.${way}`)}
            </option>
          ))}
        </select>
      </label>
      {afterIntake === 'move' && (
        <label>
          {words('mailboxes.afterFolder')}{' '}
          <select value={target ?? ''} onChange={(event) => onChange({ afterIntake, movePath: event.target.value })}>
            {target === null && <option value="" />}
            {targets.map((path) => (
              <option key={path}>{path}</option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}
