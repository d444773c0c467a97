import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { mailboxesQuery, teamsQuery } from '../tickets/queries.ts';
import { Icon } from '../ui/Icon.tsx';
import { MenuButton } from '../ui/MenuButton.tsx';
import { Select } from '../ui/Select.tsx';
import { words } from '../words/words.ts';
import { type Asked, csvAddress, reportSettingsQuery } from './queries.ts';
import styles from './Reports.module.css';
import { type Range, type SpanName, spans } from './range.ts';

type Props = { range: Range; asked: Asked; interval: string; search: URLSearchParams };

/** What a report is of: days, clock, mailbox and team. The address keeps it, so that a link shows the same. */
export function ReportTools({ range, asked, interval, search }: Props) {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  const teams = useQuery(teamsQuery(workspace.id)).data ?? [];
  const hasCalendar = useQuery(reportSettingsQuery(workspace.id)).data?.calendarId != null;
  const change = (parts: Record<string, string | null>) => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(parts)) value === null ? next.delete(name) : next.set(name, value);
    navigate(paths.reports(next.toString()), { replace: true });
  };
  const download = (file: 'overview' | 'tickets', more: object = {}) => ({
    id: file,
    text: words(`reports.csv.${file}`),
    run: () => location.assign(csvAddress(workspace.id, file, { ...asked, ...more })),
  });
  const files = [download('overview', { interval }), download('tickets')];
  const of = (name: 'mailbox' | 'team', things: readonly { id: string; text: string }[]) => (
    <Select
      label={words(`reports.of.${name}`)}
      value={search.get(name) ?? ''}
      options={[
        { value: '', text: words(`reports.all.${name}`) },
        ...things.map(({ id, text }) => ({ value: id, text })),
      ]}
      onChange={(value) => change({ [name]: value || null })}
    />
  );
  return (
    <div className={styles.tools}>
      <Select<SpanName>
        label={words('reports.span')}
        value={range.span}
        options={spans.map((value) => ({ value, text: words(`reports.span.${value}`) }))}
        onChange={(span) => change({ span, ...(span === 'days' && { first: range.first, last: range.last }) })}
      />
      {range.span === 'days' && <Days range={range} onChange={change} />}
      {hasCalendar && (
        <Select
          label={words('reports.clock')}
          value={asked.clock ?? 'calendar'}
          options={(['calendar', 'business'] as const).map((value) => ({
            value,
            text: words(`reports.clock.${value}`),
          }))}
          onChange={(clock) => change({ clock: clock === 'business' ? clock : null })}
        />
      )}
      {mailboxes.length > 1 &&
        of(
          'mailbox',
          mailboxes.map(({ id, name, address }) => ({ id, text: name ?? address })),
        )}
      {teams.length > 0 &&
        of(
          'team',
          teams.map(({ id, name }) => ({ id, text: name })),
        )}
      <MenuButton label={words('reports.csv')} items={() => [files]} className={styles.csv}>
        <Icon name="download" /> {words('reports.csv')}
      </MenuButton>
    </div>
  );
}

/** Two days. The report waits until they are in order. */
function Days({ range, onChange }: { range: Range; onChange: (parts: Record<string, string | null>) => void }) {
  return (
    <span className={styles.days}>
      {(['first', 'last'] as const).map((name) => (
        <input
          key={name}
          type="date"
          className="text-field"
          aria-label={words(`reports.${name}`)}
          value={range[name]}
          max={name === 'first' ? range.last : undefined}
          min={name === 'last' ? range.first : undefined}
          onChange={({ target }) => target.value !== '' && onChange({ [name]: target.value })}
        />
      ))}
    </span>
  );
}
