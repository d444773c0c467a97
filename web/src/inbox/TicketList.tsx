import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useRef } from 'react';
import { VList, type VListHandle } from 'virtua';
import type { Ticket } from '../api/client.ts';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import styles from './TicketList.module.css';
import { TicketRow } from './TicketRow.tsx';

type Page = { tickets: Ticket[]; nextCursor: string | undefined };
type Props = {
  pages: UseInfiniteQueryResult<InfiniteData<Page>>;
  current: number | null;
  search: string;
  isSearch: boolean;
};

/** How near its end the list asks for its next page. */
const rowsAhead = 15;

export function TicketList({ pages, current, search, isSearch }: Props) {
  const list = useRef<VListHandle>(null);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  if (data === undefined)
    return error === null ? (
      <p className={styles.hint}>{words('loading')}</p>
    ) : (
      <div className={styles.hint}>
        <Fault error={error} onRetry={() => void refetch()} />
      </div>
    );
  const tickets = data.pages.flatMap((page) => page.tickets);
  if (tickets.length === 0)
    return <p className={styles.hint}>{words(isSearch ? 'list.nothingFound' : 'list.empty')}</p>;
  const askAhead = () => {
    const { current: handle } = list;
    if (handle === null || !hasNextPage || isFetchingNextPage) return;
    if (handle.findItemIndex(handle.scrollOffset + handle.viewportSize) > tickets.length - rowsAhead)
      void fetchNextPage();
  };
  return (
    <VList ref={list} className={styles.rows} onScroll={askAhead} role="list">
      {tickets.map((ticket) => (
        <TicketRow key={ticket.id} ticket={ticket} search={search} isCurrent={ticket.ticketNumber === current} />
      ))}
    </VList>
  );
}
