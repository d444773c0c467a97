import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { useNames } from '../../people/use-names.ts';
import { usePlace } from '../../session/Guard.tsx';
import { beginBulkChange, matchingCountQuery } from '../../tickets/bulk/bulk-changes.ts';
import { bulkLines } from '../../tickets/bulk/bulk-lines.ts';
import { followBulk } from '../../tickets/bulk/followed-bulk.ts';
import type { FieldChange } from '../../tickets/ticket-change.ts';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { words } from '../../words/words.ts';
import { closeOverlay, type Overlay } from '../overlay.ts';
import styles from './SplitForm.module.css';

type Props = Omit<Extract<Overlay, { kind: 'bulkAll' }>, 'kind'>;

/** Says what changes, in how many tickets, and how long it can be undone, before it begins. */
export function MatchingForm({ fields, ...rest }: Props) {
  if (fields !== undefined) return <Sure {...rest} fields={fields} />;
  return (
    <div className={styles.form}>
      <p>{words('bulkAll.notPossible')}</p>
      <div className={styles.actions}>
        <Button onClick={closeOverlay} autoFocus>
          {words('bulkAll.close')}
        </Button>
      </div>
    </div>
  );
}

function Sure({ list, exceptIds, fields, onDone }: Props & { fields: FieldChange }) {
  const { workspace } = usePlace();
  const asked = useQuery({ ...matchingCountQuery(workspace.id, { list, exceptIds }), staleTime: 0 });
  const [counted, setCounted] = useState<number>();
  const count = counted ?? asked.data;
  const begin = useMutation({
    mutationFn: (expectedCount: number) => beginBulkChange(workspace.id, { list, exceptIds, fields, expectedCount }),
    onSuccess: ({ id }) => {
      followBulk(workspace.id, id);
      closeOverlay();
      onDone();
    },
    onError: (error) => {
      if (isRecount(error)) setCounted(Number(error.params.count));
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (count !== undefined) begin.mutate(count);
  };
  const names = useNames();
  const fault = asked.error ?? (isRecount(begin.error) ? null : begin.error);
  const number = count ?? '…';
  return (
    <form className={styles.form} onSubmit={submit}>
      <h2>{words('bulkAll.title', { count: number })}</h2>
      <ul>
        {bulkLines(fields, names).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p>{words('bulkAll.which', { count: number })}</p>
      {exceptIds.length > 0 && <p>{words('bulkAll.except', { count: exceptIds.length })}</p>}
      <p>{words('bulkAll.undo')}</p>
      <p role="status">{counted !== undefined && words('bulkAll.recounted', { count: number })}</p>
      {fault !== null && <Fault error={fault} />}
      <div className={styles.actions}>
        <Button onClick={closeOverlay} autoFocus>
          {words('split.cancel')}
        </Button>
        <Button look="primary" type="submit" disabled={count === undefined || count === 0 || begin.isPending}>
          {words('bulkAll.do', { count: number })}
        </Button>
      </div>
    </form>
  );
}

function isRecount(error: unknown): error is ApiError {
  return error instanceof ApiError && error.key === 'bulk_change.count_changed';
}
