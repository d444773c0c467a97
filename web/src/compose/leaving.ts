import { useEffect, useRef } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { queryClient } from '../api/cache.ts';
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
 * Tells the person of a text that was not sent once they have gone on to another page: they believe that it was sent.
 * While they stay, the composer shows why.
 * @param ticketNumber undefined for a new ticket
 * @param draftId of a new ticket, if it is not the newest draft
 */
export function useUnsent(ticketNumber: number | undefined, draftId?: string) {
  const isShown = useRef(true);
  const unsent = useRef<Error>(undefined);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
      if (unsent.current !== undefined) tellUnsent(unsent.current, ticketNumber, draftId);
    };
  }, [ticketNumber, draftId]);
  const setUnsent = (error: Error | undefined) => {
    unsent.current = error;
    if (error !== undefined && !isShown.current) tellUnsent(error, ticketNumber, draftId);
  };
  return { setUnsent, isShown };
}

function tellUnsent(error: Error, number: number | undefined, draftId: string | undefined): void {
  // A sign-out takes the composer away, too.
  if (queryClient.getQueryData(meQuery.queryKey) === undefined) return;
  const reason = faultWords(error);
  const text = number === undefined ? words('new.unsent', { reason }) : words('compose.unsent', { number, reason });
  const run = () => {
    const search = window.location.search.slice(1);
    const newTicket = draftId === undefined ? paths.newTicketBeside(search) : paths.olderDraft(draftId);
    navigate(number === undefined ? newTicket : paths.ticket(number, search));
  };
  showToast(text, { isBad: true, stays: true, action: { text: words('compose.showDraft'), run } });
}
