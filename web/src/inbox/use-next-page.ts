import { useEffect, useRef } from 'react';
import type { useTicketList } from '../tickets/use-ticket-list.ts';

/** The list fetches its next page when so few rows are left below the screen or the cursor. */
const rowsAhead = 25;

/**
 * Fetches the next page of a list when few loaded rows are left: after a scroll, after changes that took rows away, and
 * on a screen that is taller than the loaded rows.
 * @param cursorIndex -1 before the first row
 * @returns a function that notes the last visible row
 */
export function useNextPage(pages: ReturnType<typeof useTicketList>, rowCount: number, cursorIndex: number) {
  const { hasNextPage, fetchStatus, fetchNextPage, isFetchNextPageError } = pages;
  const lastVisible = useRef(0);
  const fetchAhead = () => {
    if (!hasNextPage || fetchStatus !== 'idle') return;
    if (Math.max(lastVisible.current, cursorIndex) > rowCount - rowsAhead) void fetchNextPage();
  };
  useEffect(() => {
    // After an error, only a scroll tries again.
    if (!isFetchNextPageError) fetchAhead();
  });
  return (index: number) => {
    lastVisible.current = index;
    fetchAhead();
  };
}
