import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { DraftFiles } from '../../compose/draft/DraftFiles.tsx';
import type { WritingBoxHandle } from '../../compose/editor/writing-box-props.ts';
import { AttachButton } from '../../compose/files/AttachButton.tsx';
import { useUploads } from '../../compose/files/use-uploads.ts';
import { WritingBox } from '../../compose/WritingBox.tsx';
import type { SavedReply } from '../../replies/queries.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Button } from '../../ui/Button.tsx';
import { Choices } from '../../ui/Choices.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import { ActionFields } from './ActionFields.tsx';
import styles from './replies.module.css';
import type { ReplyFields } from './reply-fields.ts';
import { VariableMenu } from './VariableMenu.tsx';

type Props = {
  initial: ReplyFields;
  /** Names the version of the reply that is changed. */
  version: string;
  /** Only the creator shares a reply, or makes it private. */
  mayShare: boolean;
  action: string;
  saving: UseMutationResult<SavedReply, Error, ReplyFields>;
};

const nothing = () => undefined;

/** Name, text, files and actions of a saved reply. */
export function ReplyForm({ initial, version, mayShare, action, saving }: Props) {
  const { workspace, userId } = usePlace();
  const { fields, latest, change, revision, left, forget } = useFields(initial, `${userId} ${workspace.id} ${version}`);
  const box = useRef<WritingBoxHandle>(null);
  const picker = useRef<HTMLInputElement>(null);
  const files = useUploads(workspace.id, {
    keeper: { read: () => ({ content: latest.current }), change },
    onPicture: (file, uploaded) => box.current?.insertPicture(file, uploaded),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Also after the page has gone on: callbacks of `mutate` would not run then.
    saving.mutateAsync(fields).then(forget, () => undefined);
  };
  return (
    <form onSubmit={submit}>
      {left !== undefined && (
        <p role="status">
          {words('savedReplies.unsaved')} <Button onClick={left.discard}>{words('savedReplies.discard')}</Button>
        </p>
      )}
      <NameFields fields={fields} change={change} />
      {mayShare && (
        <Choices
          name="isShared"
          label={words('savedReplies.who')}
          options={[
            ['shared', words('savedReplies.forAll')],
            ['own', words('savedReplies.forMe')],
          ]}
          value={fields.isShared ? 'shared' : 'own'}
          onChoose={(who) => change({ isShared: who === 'shared' })}
        />
      )}
      <div className={styles.text}>
        <WritingBox
          handle={box}
          content={fields}
          revision={revision}
          label={words('compose.text')}
          isNote={false}
          members={[]}
          onWrite={change}
          onFiles={(picked) => files.add(picked, true)}
          onBlur={nothing}
        >
          <AttachButton picker={picker} files={files} />
          <VariableMenu onChoose={(text) => box.current?.insertText(text)} />
        </WritingBox>
        <DraftFiles
          files={fields.files}
          bodyHtml={fields.bodyHtml}
          uploads={files.uploads}
          onRemove={({ id }) => change({ files: fields.files.filter((file) => file.id !== id) })}
          onRetry={files.retry}
          onDrop={files.drop}
        />
      </div>
      <ActionFields actions={fields.actions} onChange={(actions) => change({ actions })} />
      {saving.error !== null && <Fault error={saving.error} />}
      <Button type="submit" look="primary" disabled={saving.isPending || files.uploads.length > 0}>
        {action}
      </Button>
    </form>
  );
}

/** What forms hold that were left without saving, by person, workspace and version. */
const unsaved = new Map<string, ReplyFields>();

/**
 * The fields, with the unsaved changes that the form had before. The ref is for uploads, which end later than the
 * drawing that began them.
 */
function useFields(initial: ReplyFields, key: string) {
  const [fields, setFields] = useState(() => unsaved.get(key) ?? initial);
  const [wasLeft, setWasLeft] = useState(() => unsaved.has(key));
  const [revision, setRevision] = useState(0);
  const latest = useRef(fields);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => unsaved.has(key) && event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [key]);
  const show = (next: ReplyFields) => {
    latest.current = next;
    setFields(next);
  };
  const change = (changed: Partial<ReplyFields>) => {
    show({ ...latest.current, ...changed });
    unsaved.set(key, latest.current);
  };
  const forget = () => unsaved.delete(key);
  const discard = () => {
    forget();
    show(initial);
    setWasLeft(false);
    setRevision(revision + 1);
  };
  return { fields, latest, change, revision, left: wasLeft ? { discard } : undefined, forget };
}

type FieldProps = { fields: ReplyFields; change: (changed: Partial<ReplyFields>) => void };

function NameFields({ fields: { name, shortcut, subject }, change }: FieldProps) {
  return (
    <div className={styles.names}>
      <Field
        label={words('savedReplies.name')}
        autoFocus
        required
        maxLength={100}
        value={name}
        onChange={({ target }) => change({ name: target.value })}
      />
      <Field
        label={words('savedReplies.shortcut')}
        maxLength={30}
        autoComplete="off"
        value={shortcut}
        onChange={({ target }) => change({ shortcut: target.value.replace(/^;+/, '') })}
      />
      <Field
        label={words('savedReplies.subject')}
        maxLength={500}
        value={subject}
        onChange={({ target }) => change({ subject: target.value })}
      />
    </div>
  );
}
