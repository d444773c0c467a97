import { useQuery } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import { focusMain, useAskedFocus } from '../lib/asked-focus.ts';
import { memberTimeZone } from '../lib/dates.ts';
import { usePlace } from '../session/Guard.tsx';
import { SidePage } from '../shell/SidePage.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Notice } from '../ui/Notice.tsx';
import { words } from '../words/words.ts';
import { FigureCards } from './FigureCards.tsx';
import { GroupTable } from './GroupTable.tsx';
import { type Asked, type Grouping, overviewQuery } from './queries.ts';
import { ReportSettings } from './ReportSettings.tsx';
import styles from './Reports.module.css';
import { ReportTools } from './ReportTools.tsx';
import { instantsOf, intervalOf, readRange } from './range.ts';
import { SatisfactionSection } from './SatisfactionSection.tsx';
import { SeriesCharts } from './SeriesCharts.tsx';

const groupings: readonly Grouping[] = ['mailbox', 'team', 'member', 'tag', 'priority'];

/** How much came, how long people waited and what is open, in a range of days. */
export function ReportsPage() {
  const { workspace } = usePlace();
  const search = new URLSearchParams(useSearch());
  const range = readRange(search);
  const interval = intervalOf(range);
  const asked = askedOf(search, instantsOf(range));
  const { data, error, refetch } = useQuery(overviewQuery(workspace.id, asked, interval));
  useAskedFocus(focusMain);
  const isEmpty = data !== undefined && data.backlog === 0 && data.series.every(({ created }) => created === 0);
  return (
    <SidePage
      page="reports"
      title={words('list.reports')}
      isWide
      action={<ReportTools {...{ range, asked, interval, search }} />}
    >
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <p>{words('loading')}</p>}
      {data?.isComplete === false && <Notice>{words('reports.counting')}</Notice>}
      {data !== undefined && isEmpty && <Empty icon="reports">{words('reports.nothing')}</Empty>}
      {data !== undefined && !isEmpty && (
        <div className={styles.report}>
          <FigureCards overview={data} asked={asked} />
          <SeriesCharts overview={data} asked={asked} interval={interval} to={asked.to} />
          <SatisfactionSection asked={asked} interval={interval} />
          {groupings.map((by) => (
            <GroupTable key={by} by={by} asked={asked} />
          ))}
        </div>
      )}
      {(workspace.role === 'owner' || workspace.role === 'admin') && <ReportSettings />}
    </SidePage>
  );
}

function askedOf(search: URLSearchParams, { from, to }: { from: string; to: string }): Asked {
  const [mailbox, team] = [search.get('mailbox'), search.get('team')];
  return {
    ...{ from, to, timeZone: memberTimeZone() },
    ...(search.get('clock') === 'business' && { clock: 'business' }),
    ...(mailbox !== null && { mailbox: [mailbox] }),
    ...(team !== null && { team: [team] }),
  };
}
