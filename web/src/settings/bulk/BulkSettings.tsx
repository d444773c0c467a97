import { useQuery } from '@tanstack/react-query';
import { fullTime } from '../../lib/dates.ts';
import { useNames } from '../../people/use-names.ts';
import { usePlace } from '../../session/Guard.tsx';
import { type BulkChange, bulkChangesQuery, steerBulkChange } from '../../tickets/bulk/bulk-changes.ts';
import { bulkLines } from '../../tickets/bulk/bulk-lines.ts';
import { Action } from '../../ui/Action.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';

/** The recent changes of all tickets that matched a list, with their undo. */
export function BulkSettings() {
  const { workspace } = usePlace();
  const isWriter = workspace.role !== 'viewer';
  const source = useQuery({ ...bulkChangesQuery(workspace.id), enabled: isWriter });
  if (!isWriter) return <p>{words('bulk.writersOnly')}</p>;
  return (
    <Section title={words('bulk.list')}>
      <PagedList label={words('bulk.list')} source={source} none={words('bulk.none')}>
        {(change) => <Line key={change.id} change={change} />}
      </PagedList>
    </Section>
  );
}

function Line({ change }: { change: BulkChange }) {
  const { workspace } = usePlace();
  const { id, state, createdAt, createdBy, undoUntil, changed, total } = change;
  const names = useNames();
  const isUndoable =
    state === 'running' ||
    ((state === 'done' || state === 'stopped') && changed > 0 && new Date(undoUntil ?? 0) > new Date());
  const what = bulkLines(change.change, names).join(' · ');
  const values = { person: names.person(createdBy), time: fullTime(createdAt), count: total };
  return (
    <li>
      <span>
        <b>{what}</b>
        <br />
        <small>{words('bulk.by', values)}</small>
        <br />
        <small>{stateWords(change)}</small>
      </span>
      {state === 'running' && (
        <Action run={() => steerBulkChange(workspace.id, id, 'stop')}>{words('bulkAll.stop')}</Action>
      )}
      {isUndoable && (
        <Action aria-label={words('bulk.undoNamed', { what })} run={() => steerBulkChange(workspace.id, id, 'undo')}>
          {words('undo.cancel')}
        </Action>
      )}
    </li>
  );
}

function stateWords({ state, changed, unchanged, refused, undone, kept, undoUntil }: BulkChange): string {
  const counts = {
    changed: changed,
    unchanged: unchanged,
    refused: refused,
    undone: undone,
    kept: kept,
    time: undoUntil === null ? '' : fullTime(undoUntil),
  };
  return words(`bulk.state.${state}`, counts);
}
