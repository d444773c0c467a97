import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ApiError } from '../api/client.ts';
import { bestScore, surveyAnswersQuery } from '../api/survey-answers.ts';
import { shortTime } from '../lib/dates.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { words } from '../words/words.ts';
import { type Asked, type RatingsBy, type Satisfaction, satisfactionQuery } from './queries.ts';
import styles from './Reports.module.css';
import { listOfFigure } from './report-lists.ts';

type Interval = 'day' | 'week' | 'month';
type Props = { asked: Asked; interval: Interval };
type Ratings = Satisfaction['figures'];

const groupings: readonly RatingsBy[] = ['member', 'team', 'mailbox'];

/** How satisfied customers were. A workspace that has asked nobody shows nothing. */
export function SatisfactionSection({ asked, interval }: Props) {
  const { workspace } = usePlace();
  const { data } = useQuery(satisfactionQuery(workspace.id, asked, interval));
  if (data === undefined || data.figures.asked + data.figures.answered + data.figures.doubtful === 0) return null;
  const { figures, before } = data;
  return (
    <section className={styles.groups} aria-label={words('reports.satisfaction')}>
      <h2>{words('reports.satisfaction')}</h2>
      <ul className={styles.cards}>
        <Card title={words('reports.satisfied')} value={shareWords(figures)} to={listOfFigure(asked, 'satisfied')}>
          {words('reports.beforeIt', { share: shareWords(before) })}
        </Card>
        <Card title={words('reports.ratings')} value={countWords(figures.answered)} to={listOfFigure(asked, 'rated')}>
          {words('reports.ofAsked', { count: figures.asked })}
          {figures.doubtful > 0 && ` · ${words('reports.doubtful', { count: figures.doubtful })}`}
        </Card>
      </ul>
      {groupings.map((by) => (
        <Table key={by} {...{ by, asked, interval }} />
      ))}
      <Comments asked={asked} />
    </section>
  );
}

const countWords = (count: number) => words('reports.number', { count });

/** The satisfied among those who answered. */
function shareWords({ answered, good }: Ratings): string {
  return answered === 0 ? '–' : words('reports.percent', { share: Math.round((100 * good) / answered) });
}

function Card(props: { title: string; value: string; to: string; children: React.ReactNode }) {
  const { title, value, to, children } = props;
  return (
    <li className={styles.card}>
      <h2>{title}</h2>
      <p className={styles.value}>
        <Link href={to} aria-label={`${title}: ${value}`}>
          {value}
        </Link>
      </p>
      <p className={styles.detail}>{children}</p>
    </li>
  );
}

/** The figures of each person, team or mailbox, as they were at the time of asking. */
function Table({ by, asked, interval }: Props & { by: RatingsBy }) {
  const { workspace } = usePlace();
  const { data, error } = useQuery(satisfactionQuery(workspace.id, asked, interval, by));
  if (error instanceof ApiError || data === undefined || data.groups.every(({ key }) => key === null)) return null;
  const title = `${words('reports.satisfaction')}: ${words(`reports.by.${by}`)}`;
  return (
    <div className={styles.scroll}>
      <table aria-label={title}>
        <thead>
          <tr>
            <th scope="col">{words(`reports.head.${by}`)}</th>
            <th scope="col">{words('reports.satisfied')}</th>
            <th scope="col">{words('reports.ratings')}</th>
            <th scope="col">{words('reports.asked')}</th>
          </tr>
        </thead>
        <tbody>
          {data.groups.map((group) => (
            <tr key={String(group.key)}>
              <th scope="row" dir="auto">
                {group.key === null ? words('reports.none') : (group.name ?? words('reports.gone'))}
              </th>
              <td>{shareWords(group)}</td>
              <td>{countWords(group.answered)}</td>
              <td>{countWords(group.asked)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const commentsMax = 20;

/** What customers wrote last, each beside its ticket. */
function Comments({ asked: { from, to } }: { asked: Asked }) {
  const { workspace } = usePlace();
  const { data } = useQuery(surveyAnswersQuery(workspace.id, { from, to, limit: commentsMax }));
  const written = data?.items.filter(({ comment }) => comment !== null) ?? [];
  if (written.length === 0) return null;
  return (
    <ul className={styles.comments} aria-label={words('reports.comments')}>
      {written.map(({ id, ticketNumber, score, scale, comment, answeredAt }) => (
        <li key={id}>
          <Link href={paths.ticket(ticketNumber)}>#{ticketNumber}</Link>{' '}
          {words('rail.score', { score, best: bestScore[scale] })} · {shortTime(answeredAt)}
          <p dir="auto">{comment}</p>
        </li>
      ))}
    </ul>
  );
}
