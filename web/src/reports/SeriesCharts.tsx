import { Link } from 'wouter';
import { spokenLocale, words } from '../words/words.ts';
import { Chart } from './Chart.tsx';
import { durationWords } from './durations.ts';
import type { Asked, Overview } from './queries.ts';
import styles from './Reports.module.css';
import { listOfFigure } from './report-lists.ts';
import { durationMarks, marksUpTo } from './scale.ts';

type Props = { overview: Overview; asked: Asked; interval: 'day' | 'week' | 'month'; to: string };

/** Two charts over the intervals of a report, and their figures as one table. */
export function SeriesCharts({ overview: { series }, asked, interval, to }: Props) {
  const places = series.map(({ at }) => ({ short: shortOf(at, interval, asked), whole: wholeOf(at, interval, asked) }));
  const waits = series.map(({ firstResponse }) => firstResponse);
  const longest = Math.max(0, ...waits.map(({ p90 }) => p90 ?? 0));
  const most = Math.max(0, ...series.map(({ created, resolution }) => Math.max(created, resolution.tickets)));
  return (
    <>
      <div className={styles.charts}>
        <Chart
          title={words('reports.chart.firstResponse')}
          kind="line"
          series={[
            { name: words('reports.median'), look: 'first', values: waits.map(({ median }) => median) },
            { name: words('reports.90th'), look: 'second', values: waits.map(({ p90 }) => p90) },
          ]}
          places={places}
          marks={durationMarks(longest)}
          format={durationWords}
        />
        <Chart
          title={words('reports.chart.volume')}
          kind="bars"
          series={[
            { name: words('reports.created'), look: 'first', values: series.map(({ created }) => created) },
            { name: words('reports.closed'), look: 'second', values: series.map((one) => one.resolution.tickets) },
          ]}
          places={places}
          marks={marksUpTo(most)}
          format={(count) => words('reports.number', { count })}
        />
      </div>
      <SeriesTable {...{ series, asked, to }} names={places.map(({ whole }) => whole)} />
    </>
  );
}

type TableProps = { series: Overview['series']; asked: Asked; to: string; names: readonly string[] };

function SeriesTable({ series, asked, to, names }: TableProps) {
  return (
    <details className={styles.series}>
      <summary>{words('reports.asTable')}</summary>
      <div className={styles.scroll}>
        <table aria-label={words('reports.asTable')}>
          <thead>
            <tr>
              <th scope="col">{words('reports.time')}</th>
              <th scope="col">{words('reports.created')}</th>
              <th scope="col">{words('reports.closed')}</th>
              <th scope="col">{words('reports.reopened')}</th>
              <th scope="col">{words('reports.backlog')}</th>
              <th scope="col">{words('reports.firstResponse')}</th>
              <th scope="col">{words('reports.90th')}</th>
            </tr>
          </thead>
          <tbody>
            {series.map((one, index) => {
              const next = series[index + 1]?.at ?? to;
              const within = { ...asked, from: laterOf(one.at, asked.from), to: next };
              return (
                <tr key={one.at}>
                  <th scope="row">{names[index]}</th>
                  <td>
                    <Link href={listOfFigure(within, 'created')}>
                      {words('reports.number', { count: one.created })}
                    </Link>
                  </td>
                  <td>
                    <Link href={listOfFigure(within, 'resolution')}>
                      {words('reports.number', { count: one.resolution.tickets })}
                    </Link>
                  </td>
                  <td>
                    <Link href={listOfFigure(within, 'reopened')}>
                      {words('reports.number', { count: one.reopened })}
                    </Link>
                  </td>
                  <td>{words('reports.number', { count: one.backlog })}</td>
                  <td>
                    <Link href={listOfFigure(within, 'firstResponse')}>{durationWords(one.firstResponse.median)}</Link>
                  </td>
                  <td>{durationWords(one.firstResponse.p90)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}

const laterOf = (one: string, other: string) => (one > other ? one : other);

const formats = {
  day: { short: { day: 'numeric', month: 'short' }, whole: { weekday: 'short', day: 'numeric', month: 'short' } },
  week: { short: { day: 'numeric', month: 'short' }, whole: { day: 'numeric', month: 'short', year: 'numeric' } },
  month: { short: { month: 'short' }, whole: { month: 'long', year: 'numeric' } },
} as const;

function shortOf(at: string, interval: keyof typeof formats, { timeZone }: Asked): string {
  return new Intl.DateTimeFormat(spokenLocale(), { ...formats[interval].short, timeZone }).format(new Date(at));
}

function wholeOf(at: string, interval: keyof typeof formats, { timeZone }: Asked): string {
  const day = new Intl.DateTimeFormat(spokenLocale(), { ...formats[interval].whole, timeZone }).format(new Date(at));
  return interval === 'week' ? words('reports.weekOf', { day }) : day;
}
