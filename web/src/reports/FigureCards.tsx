import { Link } from 'wouter';
import { paths } from '../paths.ts';
import { writeList } from '../tickets/lists.ts';
import { words } from '../words/words.ts';
import { countTrend, durationTrend, durationWords, type Trend } from './durations.ts';
import type { Asked, Figures, Overview } from './queries.ts';
import styles from './Reports.module.css';
import { type Happening, listOfFigure } from './report-lists.ts';

type Props = { overview: Overview; asked: Asked };

/** The six figures of a time. Each number opens the list of its tickets. */
export function FigureCards({ overview, asked }: Props) {
  const { figures, before, backlog } = overview;
  const { mailbox, team } = asked;
  const open = paths.list(
    writeList({ status: ['open', 'pending'], archived: 'any', ...(mailbox && { mailbox }), ...(team && { team }) }),
  );
  return (
    <ul className={styles.cards} aria-label={words('reports.figures')}>
      <DurationCard name="firstResponse" {...{ figures, before, asked }} />
      <DurationCard name="response" {...{ figures, before, asked }} />
      <DurationCard name="resolution" {...{ figures, before, asked }} />
      <Card
        title={words('reports.created')}
        value={words('reports.number', { count: figures.created })}
        to={listOfFigure(asked, 'created')}
        trend={countTrend(figures.created, before.created)}
      />
      <Card
        title={words('reports.reopened')}
        value={words('reports.number', { count: figures.reopened })}
        to={listOfFigure(asked, 'reopened')}
        detail={
          <Link href={listOfFigure(asked, 'oneTouch')}>{words('reports.oneTouch', { count: figures.oneTouch })}</Link>
        }
        trend={countTrend(figures.reopened, before.reopened)}
      />
      <Card title={words('reports.backlog')} value={words('reports.number', { count: backlog })} to={open} />
    </ul>
  );
}

type DurationProps = {
  name: Extract<Happening, 'firstResponse' | 'response' | 'resolution'>;
  figures: Figures;
  before: Figures;
  asked: Asked;
};

function DurationCard({ name, figures, before, asked }: DurationProps) {
  const { median, p90, tickets } = figures[name];
  return (
    <Card
      title={words(`reports.${name}`)}
      kind={words('reports.median')}
      value={durationWords(median)}
      to={listOfFigure(asked, name)}
      detail={
        <>
          {p90 !== null && <>{words('reports.p90', { span: durationWords(p90) })} · </>}
          <Link href={listOfFigure(asked, name)}>{words('reports.tickets', { count: tickets })}</Link>
        </>
      }
      trend={durationTrend(median, before[name].median)}
    />
  );
}

type CardProps = {
  title: string;
  kind?: string;
  value: string;
  to: string;
  detail?: React.ReactNode;
  trend?: Trend;
};

function Card({ title, kind, value, to, detail, trend }: CardProps) {
  return (
    <li className={styles.card}>
      <h2>
        {title} {kind !== undefined && <small>{kind}</small>}
      </h2>
      <p className={styles.value}>
        <Link href={to} aria-label={`${title}: ${value}`}>
          {value}
        </Link>
      </p>
      {detail !== undefined && <p className={styles.detail}>{detail}</p>}
      {trend !== undefined && (
        <p className={styles.trend} data-better={trend.isBetter}>
          <span aria-hidden="true">
            {trend.isBetter === undefined && trend.text === words('reports.same') ? '' : trend.isUp ? '↑ ' : '↓ '}
          </span>
          <span className="visually-hidden">{words(trend.isUp ? 'reports.more' : 'reports.fewer')} </span>
          {trend.text}
        </p>
      )}
    </li>
  );
}
