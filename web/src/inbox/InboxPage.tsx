import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useLive } from '../api/live.ts';
import { useCommands } from '../commands.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { HelpDialog } from '../shell/HelpDialog.tsx';
import { Sidebar } from '../shell/Sidebar.tsx';
import { TicketPane } from '../ticket/TicketPane.tsx';
import { useTicketChange } from '../tickets/changes.ts';
import { readList, writeList } from '../tickets/lists.ts';
import { ticketQuery, ticketsQuery } from '../tickets/queries.ts';
import { words } from '../words/words.ts';
import styles from './InboxPage.module.css';
import { TicketList } from './TicketList.tsx';

export type ComposerMode = 'answer' | 'note';

/** The list and, beside it, the ticket that is read. */
export function InboxPage({ ticketNumber }: { ticketNumber: number | null }) {
  const { workspace, userId } = usePlace();
  const search = useSearch();
  const list = readList(search);
  const written = writeList(list);
  const [, navigate] = useLocation();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const [composing, setComposing] = useState<ComposerMode>();
  const searchBox = useRef<HTMLInputElement>(null);
  const pages = useInfiniteQuery(ticketsQuery(workspace.id, list));
  const tickets = pages.data?.pages.flatMap((page) => page.tickets) ?? [];
  const shown = useQuery({ ...ticketQuery(workspace.id, ticketNumber ?? 0), enabled: ticketNumber !== null }).data;
  const change = useTicketChange(workspace.id);
  useLive(workspace.id);

  const open = (number: number) => {
    setComposing(undefined);
    navigate(paths.ticket(number, written));
  };
  const step = (by: 1 | -1) => {
    const at = tickets.findIndex((ticket) => ticket.ticketNumber === ticketNumber);
    const next = tickets[at === -1 ? 0 : at + by];
    if (next !== undefined) open(next.ticketNumber);
  };
  const closeOrReopen = () => {
    if (shown === undefined) return;
    change.mutate({ ticket: shown, fields: { status: shown.status === 'closed' ? 'open' : 'closed' } });
    if (shown.status !== 'closed') step(1);
  };
  const assign = (assigneeId: string | null) => {
    if (shown !== undefined) change.mutate({ ticket: shown, fields: { assigneeId } });
  };
  useCommands({
    next: () => step(1),
    previous: () => step(-1),
    answer: () => setComposing('answer'),
    note: () => setComposing('note'),
    close: closeOrReopen,
    assignToMe: () => assign(userId),
    search: () => searchBox.current?.focus(),
    help: () => setIsHelpOpen(true),
    back: () => navigate(paths.list(written)),
  });

  return (
    <div className={styles.page} data-pane={ticketNumber === null ? 'list' : 'ticket'}>
      <Sidebar search={written} onHelp={() => setIsHelpOpen(true)} />
      <main className={styles.content}>
        <section className={styles.list} aria-label={words('list.tickets')}>
          {ticketNumber === null && <h1 className="visually-hidden">{words('list.tickets')}</h1>}
          <form
            role="search"
            key={written}
            onSubmit={(event) => {
              event.preventDefault();
              const wanted = searchBox.current?.value.trim() ?? '';
              navigate(paths.list(wanted === '' ? '' : writeList({ search: wanted })));
            }}
          >
            <input
              ref={searchBox}
              type="search"
              name="search"
              aria-label={words('list.search')}
              aria-keyshortcuts="/"
              placeholder={words('list.search')}
              defaultValue={list.search ?? ''}
            />
          </form>
          <TicketList pages={pages} current={ticketNumber} search={written} isSearch={list.search !== undefined} />
        </section>
        <section className={styles.ticket} aria-label={words('ticket.label')}>
          {ticketNumber === null ? (
            <p className={styles.none}>{words('ticket.none')}</p>
          ) : (
            <TicketPane
              number={ticketNumber}
              backTo={paths.list(written)}
              composing={composing}
              onCompose={setComposing}
              onCloseOrReopen={closeOrReopen}
              onAssign={assign}
              fault={change.error}
            />
          )}
        </section>
      </main>
      {isHelpOpen && <HelpDialog onClose={() => setIsHelpOpen(false)} />}
    </div>
  );
}
