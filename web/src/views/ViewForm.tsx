import type { FormEvent } from 'react';
import { useLocation } from 'wouter';
import { askForFocus } from '../lib/asked-focus.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { type ListParameters, listDefault, writeList, writePlace } from '../tickets/lists.ts';
import { Button } from '../ui/Button.tsx';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { useDeleteView, useSaveView } from './changes.ts';
import type { View } from './queries.ts';
import styles from './ViewForm.module.css';

type Props = { list: ListParameters; view: View | undefined; onDone: () => void };

/** A form for the name and sharing of a new or an existing view. */
export function ViewForm({ list, view, onDone }: Props) {
  const { workspace, userId } = usePlace();
  const [, navigate] = useLocation();
  const save = useSaveView(workspace.id);
  const remove = useDeleteView(workspace.id);
  const isMine = view === undefined || view.createdBy === userId;
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const fields = { name: String(form.get('name')).trim(), ...(isMine && { isShared: form.has('isShared') }) };
    const wanted = view === undefined ? { ...fields, list } : { ...fields, id: view.id };
    save.mutate(wanted, {
      onSuccess: (saved) => {
        onDone();
        if (view !== undefined) return;
        // The button that opened the form goes.
        askForFocus();
        navigate(paths.list(writePlace(list, saved.id)));
      },
    });
  };
  const drop = (dropped: View) => {
    const { id, name, isShared } = dropped;
    if (!window.confirm(words(isShared ? 'view.sureShared' : 'view.sure', { name }))) return;
    remove.mutate(id, {
      onSuccess: () => {
        onDone();
        askForFocus();
        navigate(paths.list(writeList(listDefault)));
      },
    });
  };
  const fault = save.error ?? remove.error;
  return (
    <form className={styles.form} onSubmit={send} aria-label={words(view === undefined ? 'view.save' : 'view.edit')}>
      <Field label={words('view.name')} name="name" defaultValue={view?.name} maxLength={100} required autoFocus />
      {workspace.role !== 'viewer' && isMine && (
        <Checkbox name="isShared" defaultChecked={view?.isShared}>
          {words('view.share')}
        </Checkbox>
      )}
      {fault !== null && <Fault error={fault} />}
      <div className={styles.buttons}>
        <Button type="submit" look="primary" disabled={save.isPending}>
          {words('view.keep')}
        </Button>
        {view !== undefined && (
          <Button disabled={remove.isPending} onClick={() => drop(view)}>
            {words('view.delete')}
          </Button>
        )}
      </div>
    </form>
  );
}
