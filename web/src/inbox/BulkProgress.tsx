import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { bulkChangeQuery, isUnderWay, steerBulkChange } from '../tickets/bulk/bulk-changes.ts';
import { followBulk } from '../tickets/bulk/followed-bulk.ts';
import { refreshAskedLists } from '../tickets/list-places.ts';
import { remember } from '../tickets/undo.ts';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { showToast } from '../ui/toast.ts';
import { errorWords, words } from '../words/words.ts';
import styles from './BulkProgress.module.css';

type Change = Parameters<typeof isUnderWay>[0] & { total: number };
type Props = { id: string };

/** How far a bulk change or its undo has come. Its end is a message with the undo; refused tickets stay listed. */
export function BulkProgress({ id }: Props) {
  const { workspace } = usePlace();
  const { data: change, error } = useQuery(bulkChangeQuery(workspace.id, id));
  const steer = useMutation({ mutationFn: (verb: 'stop' | 'undo') => steerBulkChange(workspace.id, id, verb) });
  useEnd(change, (ended) => {
    refreshAskedLists(workspace.id);
    const isUndone = ended.state === 'undone';
    const text = words(isUndone ? 'bulkAll.undone' : 'bulkAll.done', {
      count: isUndone ? ended.undone : ended.changed,
    });
    const undo = () => void steerBulkChange(workspace.id, id, 'undo').then(() => followBulk(workspace.id, id));
    if (isUndone || ended.changed === 0) showToast(text);
    else remember({ key: `bulk ${id}`, text, takeBack: undo });
    if (ended.refusals.length === 0) followBulk(workspace.id, undefined);
  });
  const close = () => followBulk(workspace.id, undefined);
  if (change === undefined)
    return error === null ? null : (
      <section className={styles.progress} aria-label={words('bulkAll.progress')}>
        <Fault error={error} />
        <Button onClick={close}>{words('bulkAll.close')}</Button>
      </section>
    );
  const { state, total, changed, unchanged, refused, undone, kept, refusals } = change;
  const isUndo = state === 'undoing' || state === 'undone';
  const done = isUndo ? undone + kept : changed + unchanged + refused;
  const all = isUndo ? changed + undone + kept : total;
  const count = { done: isUndo ? undone : done, total: all };
  return (
    <section className={styles.progress} aria-label={words('bulkAll.progress')}>
      <div className={styles.line}>
        <span>{words(isUndo ? 'bulkAll.undoing' : 'bulkAll.running', count)}</span>
        {state === 'running' && (
          <Button disabled={steer.isPending} onClick={() => steer.mutate('stop')}>
            {words('bulkAll.stop')}
          </Button>
        )}
        <Link href={paths.settings('bulk')}>{words('bulkAll.list')}</Link>
        {!isUnderWay(change) && <Button onClick={close}>{words('bulkAll.close')}</Button>}
      </div>
      {isUnderWay(change) && <progress max={all} value={done} aria-label={words('bulkAll.progress')} />}
      {steer.error !== null && <Fault error={steer.error} />}
      {refusals.length > 0 && (
        <>
          <p role="alert">{words(isUndo ? 'bulkAll.kept' : 'bulkAll.refused', { count: isUndo ? kept : refused })}</p>
          <ul>
            {refusals.map(({ ticketId, ticketNumber, error: fault }) => (
              <li key={ticketId}>
                {ticketNumber !== null && `#${ticketNumber}: `}
                {fault == null ? words('bulkAll.since') : errorWords(fault)}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** Runs once when a change that was under way has ended. */
function useEnd<Shown extends Change>(change: Shown | undefined, onEnd: (ended: Shown) => void): void {
  const wasUnderWay = useRef(false);
  useEffect(() => {
    if (change === undefined) return;
    if (!isUnderWay(change) && wasUnderWay.current) onEnd(change);
    wasUnderWay.current = isUnderWay(change);
  });
}
