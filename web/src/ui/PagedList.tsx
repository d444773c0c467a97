import { type ReactNode, useEffect, useRef } from 'react';
import { words } from '../words/words.ts';
import { Button } from './Button.tsx';
import { Fault } from './Fault.tsx';
import styles from './PagedList.module.css';
import { Table } from './Table.tsx';

/** What a query of a whole list has, and what one of pages adds. */
type Source<Item> = {
  data: readonly Item[] | undefined;
  error: Error | null;
  refetch: () => Promise<unknown>;
  hasNextPage?: boolean;
  isFetchingNextPage?: boolean;
  fetchNextPage?: () => Promise<unknown>;
};

type Props<Item> = {
  label: string;
  source: Source<Item>;
  /** Said of an empty list. */
  none: string;
  /** The button for the next page. */
  more?: string;
  /** Takes the focus at first, after a page that is gone had it. */
  isBack?: boolean;
  /** The columns of a table. Without them it is a list of lines. */
  heads?: readonly string[];
  /** A line or row. `onGone` takes the focus from one that leaves. */
  children: (item: Item, onGone: () => void, items: readonly Item[]) => ReactNode;
};

/** A list that says why it is empty, and takes the next page on demand. */
export function PagedList<Item>({ label, source, none, more, isBack = false, heads, children }: Props<Item>) {
  const { data, error, refetch, hasNextPage = false, isFetchingNextPage = false, fetchNextPage } = source;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isBack) place.current?.focus();
  }, [isBack]);
  const lines = data?.map((item) => children(item, () => place.current?.focus(), data)) ?? [];
  const isEmpty = error === null && (data ?? []).length === 0;
  return (
    <div ref={place} tabIndex={-1} role="group" aria-label={label} className={styles.place}>
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      <p role="status" className={styles.none}>
        {isEmpty && (data === undefined ? words('loading') : none)}
      </p>
      {lines.length > 0 && heads === undefined && <ul aria-label={label}>{lines}</ul>}
      {lines.length > 0 && heads !== undefined && (
        <Table label={label} heads={heads}>
          {lines}
        </Table>
      )}
      {hasNextPage && (
        <Button className={styles.more} disabled={isFetchingNextPage} onClick={() => void fetchNextPage?.()}>
          {more}
        </Button>
      )}
    </div>
  );
}
