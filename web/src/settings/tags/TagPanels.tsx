import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { caseKey } from '../../tickets/filters.ts';
import { Action } from '../../ui/Action.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { Field } from '../../ui/Field.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { deleteTag, renameTag, type Tag, type TagUse, tagUseQuery } from './queries.ts';
import styles from './Tags.module.css';

const lengthMax = 64;

type Props = { tag: string; onClose: () => void; onDone: () => void };

/** Shows the effects of a new name. Before that, warns if the new name merges the tag into another tag. */
export function RenamePanel({ tag, all, onClose, onDone }: Props & { all: readonly Tag[] }) {
  const { workspace } = usePlace();
  const [typed, setTyped] = useState(tag);
  // The list has at most 1,000 tags, so the service may know the name of another tag.
  const [told, setTold] = useState<string>();
  const to = typed.trim();
  const key = caseKey(to);
  const listed = all.find((other) => caseKey(other.tag) === key && key !== caseKey(tag))?.tag;
  const existing = listed ?? (told !== undefined && caseKey(told) === key ? told : undefined);
  const rename = useMutation({
    mutationFn: (into: string | undefined) => renameTag(workspace.id, { tag, to, merge: into !== undefined }),
    onSuccess: (_, into) => {
      showToast(words(into === undefined ? 'tags.renamed' : 'tags.merged', { tag, to: into ?? to }));
      onClose();
      onDone();
    },
    onError: (error) => {
      if (error instanceof ApiError && error.key === 'tag.exists') setTold(String(error.params.tag));
    },
  });
  const isMergeUnknown = rename.error instanceof ApiError && rename.error.key === 'tag.exists';
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (to !== '' && to !== tag) rename.mutate(existing);
  };
  return (
    <div className={styles.panel}>
      <form onSubmit={submit}>
        <Field
          label={words('tags.newName')}
          value={typed}
          maxLength={lengthMax}
          required
          autoFocus
          autoComplete="off"
          onChange={({ target }) => setTyped(target.value)}
        />
        <p role="status">{existing !== undefined && words('tags.mergeHint', { tag, to: existing })}</p>
        <Consequences tag={tag} verb="rename" />
        {rename.error !== null && !isMergeUnknown && <Fault error={rename.error} />}
        <span className={styles.tools}>
          <Button onClick={onClose}>{words('tags.cancel')}</Button>
          <Button look="primary" type="submit" disabled={rename.isPending || to === '' || to === tag}>
            {words(existing === undefined ? 'tags.doRename' : 'tags.doMerge', { to: existing ?? to })}
          </Button>
        </span>
      </form>
    </div>
  );
}

/** Says what loses the tag, and deletes it. */
export function DeletePanel({ tag, onClose, onDone }: Props) {
  const { workspace } = usePlace();
  const remove = async () => {
    await deleteTag(workspace.id, tag);
    showToast(words('tags.deleted', { tag }));
    onClose();
    onDone();
  };
  return (
    <div className={styles.panel}>
      <p role="alert">{words('tags.sure', { tag })}</p>
      <Consequences tag={tag} verb="delete" />
      <span className={styles.tools}>
        <Button autoFocus onClick={onClose}>
          {words('tags.cancel')}
        </Button>
        <Action look="danger" run={remove}>
          {words('tags.doDelete', { tag })}
        </Action>
      </span>
    </div>
  );
}

const places = ['tickets', 'mailboxes', 'savedReplies', 'rules', 'views'] as const satisfies readonly (keyof TagUse)[];

function Consequences({ tag, verb }: { tag: string; verb: 'rename' | 'delete' }) {
  const { workspace } = usePlace();
  const { data: use, error, refetch } = useQuery(tagUseQuery(workspace.id, tag));
  if (error !== null) return <Fault error={error} onRetry={() => void refetch()} />;
  if (use === undefined) return <p>{words('loading')}</p>;
  return (
    <ul>
      {places
        .filter((place) => use[place] > 0)
        .map((place) => (
          <li key={place}>{words(`tags.${verb}.${place}`, { count: use[place] })}</li>
        ))}
      <li>{words('tags.stay')}</li>
      {use.tickets > 0 && <li>{words('tags.undo')}</li>}
    </ul>
  );
}
