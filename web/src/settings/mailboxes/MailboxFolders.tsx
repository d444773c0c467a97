import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Action } from '../../ui/Action.tsx';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { ChoiceField } from '../../ui/Choice.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { chooseFolders, type Folders, readFolders, useMailboxPlace } from './changes.ts';
import styles from './mailboxes.module.css';

/** The folders of a mailbox that are read. They are on its server, so they show on request. */
export function MailboxFolders({ mailboxId }: { mailboxId: string }) {
  const place = useMailboxPlace(mailboxId);
  const [present, setPresent] = useState<Folders>();
  return (
    <Section title={words('mailboxes.folders')} hint={words('mailboxes.foldersHint')}>
      {present === undefined ? (
        <Action run={async () => setPresent(await readFolders(place))} pending={words('mailboxes.foldersRun')}>
          {words('mailboxes.foldersNow')}
        </Action>
      ) : (
        <FolderChoice place={place} present={present} />
      )}
    </Section>
  );
}

function FolderChoice({ place, present }: { place: ReturnType<typeof useMailboxPlace>; present: Folders }) {
  const [sentPath, setSentPath] = useState(present.sentPath);
  const [after, setAfter] = useState({ afterIntake: present.afterIntake, movePath: present.movePath });
  const [chosen, setChosen] = useState(() =>
    present.folders.flatMap(({ path, isRead }) => (isRead && path !== present.sentPath ? [path] : [])),
  );
  const inboxes = present.folders.map(({ path }) => path).filter((path) => path !== sentPath);
  const save = useMutation({
    mutationFn: () => chooseFolders(place, { inboxPaths: chosen, sentPath, ...after }),
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
          <Checkbox key={path} checked={chosen.includes(path)} onChange={() => toggle(path)}>
            {path}
          </Checkbox>
        ))}
      </fieldset>
      <ChoiceField
        label={words('mailboxes.sentFolder')}
        value={sentPath ?? ''}
        options={[
          ['', words('mailboxes.sentFolder.none')],
          ...present.folders.flatMap(({ path }) => (chosen.includes(path) ? [] : [[path, path] as const])),
        ]}
        onChoose={(path) => setSentPath(path || null)}
      />
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
      <ChoiceField
        label={words('mailboxes.after')}
        value={afterIntake}
        options={ways.map((way) => [way, words(`mailboxes.after.${way}`)])}
        onChoose={choose}
      />
      {afterIntake === 'move' && (
        <ChoiceField
          label={words('mailboxes.afterFolder')}
          value={target ?? ''}
          options={[...(target === null ? [['', ''] as const] : []), ...targets.map((path) => [path, path] as const)]}
          onChoose={(path) => onChange({ afterIntake, movePath: path })}
        />
      )}
    </>
  );
}
