import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import { paths } from '../paths.ts';
import { type ListParameters, standardListOf, writeList } from '../tickets/lists.ts';
import { Fault } from '../ui/Fault.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { type WordKey, words } from '../words/words.ts';
import { withoutFilters } from './chips.ts';
import styles from './ListState.module.css';

type Props = {
  pages: Pick<UseInfiniteQueryResult, 'data' | 'error' | 'fetchStatus' | 'refetch' | 'hasNextPage'>;
  list: ListParameters;
};

/** A list without rows: it loads, shows an error, or says why it is empty and what to do. */
export function ListState({ pages: { data, error, fetchStatus, refetch, hasNextPage }, list }: Props) {
  if (data !== undefined && !hasNextPage) return <Empty list={list} />;
  return (
    <div className={styles.state}>
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      {error === null && fetchStatus === 'paused' && <p role="status">{words('list.offline')}</p>}
      {error === null && fetchStatus !== 'paused' && <p className={styles.wait}>{words('loading')}</p>}
    </div>
  );
}

function Mark({ icon }: { icon: IconName }) {
  return (
    <span className={styles.mark}>
      <Icon name={icon} size={20} />
    </span>
  );
}

function Empty({ list }: { list: ListParameters }) {
  const standard = standardListOf(list);
  if (standard !== undefined)
    return (
      <div className={styles.state}>
        <Mark icon={standard.icon} />
        <p className={styles.title}>{words('list.empty')}</p>
        <p>{words(`${standard.name}.empty` as WordKey)}</p>
      </div>
    );
  const isSearch = list.search !== undefined;
  return (
    <div className={styles.state}>
      <Mark icon={isSearch ? 'search' : 'filter'} />
      <p className={styles.title}>
        {isSearch ? words('list.nothingFound', { words: list.search ?? '' }) : words('list.noMatch')}
      </p>
      {isSearch && <p>{words('list.searchHint')}</p>}
      <Link href={paths.list(writeList(withoutFilters(list)))}>{words('list.clear')}</Link>
    </div>
  );
}
