import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { type ListParameters, readQuery, standardListOf, writeList, writePlace } from '../tickets/lists.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { later } from '../ui/later.tsx';
import { PanelButton } from '../ui/PanelButton.tsx';
import { words } from '../words/words.ts';
import { useSaveView } from './changes.ts';
import { type View, viewsQuery } from './queries.ts';
import styles from './ViewBar.module.css';

type Props = { list: ListParameters; viewId: string | undefined };

const ViewForm = later(() => import('./ViewForm.tsx'), 'ViewForm');

/** Saves the filters of a list as a view. On a saved view, tells whether the filters differ, and edits the view. */
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

/** The list parameters that a view keeps. */
export function listOf({ query }: View): ListParameters {
  return readQuery(query);
}

export function viewPath(view: View): string {
  return paths.list(writePlace(listOf(view), view.id));
}

function ViewPopover({ list, view }: { list: ListParameters; view?: View }) {
  return (
    <PanelButton label={words(view === undefined ? 'view.save' : 'view.edit')} isChip>
      {(close) => <ViewForm list={list} view={view} onDone={close} />}
    </PanelButton>
  );
}
