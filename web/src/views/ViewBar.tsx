import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { type ListParameters, listDefault, readList, standardListOf, writeList, writePlace } from '../tickets/lists.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { PanelButton } from '../ui/PanelButton.tsx';
import { words } from '../words/words.ts';
import { useDeleteView, useSaveView } from './changes.ts';
import { type View, viewsQuery } from './queries.ts';
import styles from './ViewBar.module.css';

type Props = { list: ListParameters; viewId: string | undefined };

/** Keeps the filters of a list under a name; of a kept one it says how it differs and lets it be changed. */
export function ViewBar({ list, viewId }: Props) {
  const { workspace } = usePlace();
  const views = useQuery(viewsQuery(workspace.id)).data ?? [];
  const view = views.find(({ id }) => id === viewId);
  if (view === undefined) return standardListOf(list) === undefined ? <ViewPopover list={list} /> : null;
  return <KeptView key={view.id} view={view} list={list} />;
}

function KeptView({ view, list }: { view: View; list: ListParameters }) {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const save = useSaveView(workspace.id);
  const kept = listOf(view);
  const differs = writeList(kept) !== writeList(list);
  return (
    <>
      {differs && (
        <span className={styles.differs}>
          {words('view.differs')}
          <Button look="quiet" disabled={save.isPending} onClick={() => save.mutate({ id: view.id, list })}>
            {words('view.saveChange')}
          </Button>
          <Button look="quiet" onClick={() => navigate(paths.list(writePlace(kept, view.id)))}>
            {words('view.revert')}
          </Button>
        </span>
      )}
      {save.error !== null && <Fault error={save.error} />}
      <ViewPopover list={list} view={view} />
    </>
  );
}

/** The parameters that are kept in a view, as lists have them. */
export function listOf({ query }: View): ListParameters {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) written.append(name, String(one));
  return readList(written.toString());
}

/** Name and sharing of a view that is there, or of a new one. */
function ViewPopover({ list, view }: { list: ListParameters; view?: View }) {
  return (
    <PanelButton label={words(view === undefined ? 'view.save' : 'view.edit')} isChip>
      {(close) => <ViewForm list={list} view={view} onDone={close} />}
    </PanelButton>
  );
}

type FormProps = { list: ListParameters; view: View | undefined; onDone: () => void };

function ViewForm({ list, view, onDone }: FormProps) {
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
        if (view === undefined) navigate(paths.list(writePlace(list, saved.id)));
      },
    });
  };
  const drop = (dropped: View) => {
    remove.mutate(dropped.id, {
      onSuccess: () => {
        onDone();
        navigate(paths.list(writeList(listDefault)));
      },
    });
  };
  const fault = save.error ?? remove.error;
  return (
    <form className={styles.form} onSubmit={send} aria-label={words(view === undefined ? 'view.save' : 'view.edit')}>
      <Field label={words('view.name')} name="name" defaultValue={view?.name} maxLength={100} required autoFocus />
      {workspace.role !== 'viewer' && isMine && (
        <label className={styles.shared}>
          <input type="checkbox" name="isShared" defaultChecked={view?.isShared} />
          {words('view.share')}
        </label>
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
