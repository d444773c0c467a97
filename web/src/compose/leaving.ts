import { useEffect, useRef } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { queryClient } from '../api/cache.ts';
import type { Ticket } from '../api/client.ts';
import { paths } from '../paths.ts';
import { meQuery } from '../session/queries.ts';
import { faultWords } from '../ui/fault-words.ts';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';

let unansweredCount = 0;
const askPerson = (event: BeforeUnloadEvent) => event.preventDefault();

/** Lets the browser ask the person before it closes a page whose message or file the service has not taken yet. */
export function warnBeforeLeaving<Result>(sent: Promise<Result>): Promise<Result> {
  if (unansweredCount++ === 0) window.addEventListener('beforeunload', askPerson);
  return sent.finally(() => {
    if (--unansweredCount === 0) window.removeEventListener('beforeunload', askPerson);
  });
}

/**
 * Tells the person of a text that was not sent once they have gone on to another ticket: they believe that it was sent.
 * While they stay, the composer shows why.
 */
export function useUnsent({ ticketNumber }: Pick<Ticket, 'ticketNumber'>) {
  const isShown = useRef(true);
  const unsent = useRef<Error>(undefined);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
      if (unsent.current !== undefined) tellUnsent(ticketNumber, unsent.current);
    };
  }, [ticketNumber]);
  return (error: Error | undefined) => {
    unsent.current = error;
    if (error !== undefined && !isShown.current) tellUnsent(ticketNumber, error);
  };
}

function tellUnsent(number: number, error: Error): void {
  // A sign-out takes the composer away, too.
  if (queryClient.getQueryData(meQuery.queryKey) === undefined) return;
  const text = words('compose.unsent', { number, reason: faultWords(error) });
  const run = () => navigate(paths.ticket(number, window.location.search.slice(1)));
  showToast(text, { isBad: true, stays: true, action: { text: words('compose.showDraft'), run } });
}
