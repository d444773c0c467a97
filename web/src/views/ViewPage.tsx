import { useQuery } from '@tanstack/react-query';
import { Redirect } from 'wouter';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { SessionFrame } from '../session/SessionFrame.tsx';
import { writePlace } from '../tickets/lists.ts';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { viewsQuery } from './queries.ts';
import { listOf } from './ViewBar.tsx';

/** The short address of a view, for sharing. It leads to the list with the view's filters. */
export function ViewPage({ viewId }: { viewId: string }) {
  const { workspace } = usePlace();
  const { data, error, refetch } = useQuery(viewsQuery(workspace.id));
  const view = data?.find(({ id }) => id === viewId);
  if (view !== undefined) return <Redirect to={paths.list(writePlace(listOf(view), view.id))} replace />;
  if (data === undefined && error === null) return null;
  return (
    <SessionFrame title={words('view.label')}>
      {error === null ? <p>{words('view.missing')}</p> : <Fault error={error} onRetry={() => void refetch()} />}
      <a href={paths.inbox}>{words('workspace.back')}</a>
    </SessionFrame>
  );
}
