import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, inWorkspace } from '../../api/client.ts';
import { usePlace } from '../../session/Guard.tsx';
import { Action } from '../../ui/Action.tsx';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { showToast } from '../../ui/toast.ts';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { bodyOf, fieldsOf, type HoursFields, newHours } from './fields.ts';
import { HoursForm } from './HoursForm.tsx';
import { OpenState } from './OpenState.tsx';
import { type Calendar, calendarQuery, refreshCalendars } from './queries.ts';

type Props = { calendarId: string; onDone: () => void };

/** Makes or changes a calendar of business hours. */
export function HoursPage({ calendarId, onDone }: Props) {
  return calendarId === 'new' ? <NewCalendar onDone={onDone} /> : <Kept calendarId={calendarId} onDone={onDone} />;
}

function NewCalendar({ onDone }: Pick<Props, 'onDone'>) {
  const { workspace } = usePlace();
  const [initial] = useState(newHours);
  const create = useSaving((fields) => inWorkspace(workspace.id).POST('/calendars', { body: bodyOf(fields) }), onDone);
  return <HoursForm initial={initial} title={words('hours.new')} action={words('hours.create')} saving={create} />;
}

function Kept({ calendarId, onDone }: Props) {
  const { workspace } = usePlace();
  const { data, error, refetch } = useQuery({ ...calendarQuery(workspace.id, calendarId), refetchOnMount: 'always' });
  // The form keeps the version that it began with, so that it never overwrites a colleague's change unseen.
  const [shown, setShown] = useState<Calendar>();
  if (shown === undefined && data !== undefined) setShown(data);
  if (shown === undefined)
    return error === null ? <p>{words('loading')}</p> : <Fault error={error} onRetry={() => void refetch()} />;
  const reload = async () => setShown((await refetch()).data);
  return (
    <>
      <Change key={shown.version} calendar={shown} onDone={onDone} onReload={() => void reload()} />
      <Deletion calendar={shown} onDone={onDone} />
    </>
  );
}

type KeptProps = { calendar: Calendar; onDone: () => void };

function Change({ calendar, onDone, onReload }: KeptProps & { onReload: () => void }) {
  const { workspace } = usePlace();
  const [initial] = useState(() => fieldsOf(calendar));
  const change = useSaving(
    (fields) =>
      inWorkspace(workspace.id).PATCH('/calendars/{calendarId}', {
        path: { calendarId: calendar.id },
        headers: { 'if-match': `"${calendar.version}"` },
        body: bodyOf(fields),
      }),
    onDone,
  );
  const isOverwritten = change.error instanceof ApiError && change.error.key === 'calendar.version_mismatch';
  return (
    <HoursForm
      initial={initial}
      title={calendar.name}
      state={<OpenState calendar={calendar} />}
      action={words('settings.save')}
      saving={change}
    >
      {isOverwritten && <Button onClick={onReload}>{words('hours.reload')}</Button>}
    </HoursForm>
  );
}

function Deletion({ calendar: { id, name }, onDone }: KeptProps) {
  const { workspace } = usePlace();
  const remove = async () => {
    await inWorkspace(workspace.id).DELETE('/calendars/{calendarId}', { path: { calendarId: id } });
    await finish(workspace.id, words('hours.deleted', { name }), onDone);
  };
  return (
    <Section title={words('hours.delete')} hint={words('hours.deleteHint')}>
      <Action look="danger" sure={words('hours.deleteSure', { name })} run={remove}>
        {words('hours.delete')}
      </Action>
    </Section>
  );
}

function useSaving(save: (fields: HoursFields) => Promise<Calendar>, onDone: () => void) {
  const { workspace } = usePlace();
  return useMutation({
    mutationFn: save,
    onSuccess: ({ name }) => finish(workspace.id, words('hours.saved', { name }), onDone),
  });
}

function finish(workspaceId: string, told: string, onDone: () => void): Promise<void> {
  showToast(told);
  onDone();
  return refreshCalendars(workspaceId);
}
