import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { inWorkspace } from '../api/client.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { calendarsQuery } from '../tickets/calendars.ts';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Select } from '../ui/Select.tsx';
import { words } from '../words/words.ts';
import { reportSettingsQuery } from './queries.ts';
import styles from './Reports.module.css';

/** By which hours the reports of the workspace count, and whether they compare members. */
export function ReportSettings() {
  const { workspace } = usePlace();
  const client = useQueryClient();
  const { queryKey, ...query } = reportSettingsQuery(workspace.id);
  const settings = useQuery({ queryKey, ...query }).data;
  const calendars = useQuery(calendarsQuery(workspace.id)).data;
  const change = useMutation({
    mutationFn: (body: { calendarId?: string | null; showsMembers?: boolean }) =>
      inWorkspace(workspace.id).PATCH('/reports/settings', { body }),
    // All figures may be others now.
    onSuccess: () => client.invalidateQueries({ queryKey: queryKey.slice(0, -1) }),
  });
  if (settings === undefined || calendars === undefined) return null;
  const none = { value: '', text: words('reports.noCalendar') };
  return (
    <section className={styles.settings}>
      <h2>{words('reports.settings')}</h2>
      <div>
        <Select
          label={words('reports.calendar')}
          value={settings.calendarId ?? ''}
          options={[none, ...calendars.map(({ id, name }) => ({ value: id, text: name }))]}
          onChange={(id) => change.mutate({ calendarId: id === '' ? null : id })}
        />
        <Link href={paths.settings('hours')}>{words('reports.editCalendars')}</Link>
      </div>
      <Checkbox
        checked={settings.showsMembers}
        onChange={({ target }) => change.mutate({ showsMembers: target.checked })}
      >
        {words('reports.showsMembers')}
      </Checkbox>
      {change.error !== null && <Fault error={change.error} />}
    </section>
  );
}
