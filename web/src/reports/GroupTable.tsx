import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ApiError } from '../api/client.ts';
import { usePlace } from '../session/Guard.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words, wordsOr } from '../words/words.ts';
import { durationWords } from './durations.ts';
import { type Asked, type Grouping, type Groups, groupsQuery } from './queries.ts';
import styles from './Reports.module.css';
import { filterOfGroup, type Happening, listOfFigure } from './report-lists.ts';

type Props = { by: Grouping; asked: Asked };

/** The figures of each mailbox, team, member, tag or priority. */
export function GroupTable({ by, asked }: Props) {
  const { workspace } = usePlace();
  const { data, error, refetch } = useQuery(groupsQuery(workspace.id, asked, by));
  if (error instanceof ApiError && error.key === 'report.members_not_shown') return null;
  if (error !== null) return <Fault error={error} onRetry={() => void refetch()} />;
  // A single group without a name says what the whole says.
  if (data === undefined || data.groups.every(({ key }) => key === null)) return null;
  const title = words(`reports.by.${by}`);
  const isOfMembers = by === 'member';
  return (
    <section className={styles.groups}>
      <h2>{title}</h2>
      <div className={styles.scroll}>
        <table aria-label={title}>
          <thead>
            <tr>
              <th scope="col">{words(`reports.head.${by}`)}</th>
              {!isOfMembers && <th scope="col">{words('reports.created')}</th>}
              <th scope="col">{words('reports.answered')}</th>
              <th scope="col">{words('reports.closed')}</th>
              <th scope="col">{words('reports.firstResponse')}</th>
              <th scope="col">{words('reports.90th')}</th>
              <th scope="col">{words('reports.resolution')}</th>
              <th scope="col">{words('reports.90th')}</th>
            </tr>
          </thead>
          <tbody>
            {data.groups.map((group) => (
              <Row key={String(group.key)} {...{ group, by, asked }} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Row({ group, by, asked }: Props & { group: Groups['groups'][number] }) {
  const { key, created, response, firstResponse, resolution } = group;
  const filter = filterOfGroup(by, key);
  const member = by === 'member' ? (key ?? 'none') : undefined;
  const figure = (happening: Happening, text: string) =>
    filter === undefined ? text : <Link href={listOfFigure(asked, happening, filter, member)}>{text}</Link>;
  const count = (number: number) => words('reports.number', { count: number });
  return (
    <tr>
      <th scope="row" dir="auto">
        {nameOf(by, group)}
      </th>
      {by !== 'member' && <td>{figure('created', count(created))}</td>}
      <td>{figure('response', count(response.tickets))}</td>
      <td>{figure('resolution', count(resolution.tickets))}</td>
      <td>{durationWords(firstResponse.median)}</td>
      <td>{durationWords(firstResponse.p90)}</td>
      <td>{durationWords(resolution.median)}</td>
      <td>{durationWords(resolution.p90)}</td>
    </tr>
  );
}

function nameOf(by: Grouping, { key, name }: { key: string | null; name: string | null }): string {
  if (key === null) return words('reports.none');
  if (by === 'priority') return wordsOr(key, `priority.${key}`);
  if (by === 'channel') return words(key === 'email' ? 'reports.email' : 'reports.api');
  return name ?? words('reports.gone');
}
