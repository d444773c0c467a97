import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { Ticket } from '../api/client.ts';
import { useCommands } from '../commands.ts';
import type { ComposerMode } from '../compose/composer-mode.ts';
import { LaterNewTicket } from '../compose/new-ticket/LaterNewTicket.ts';
import { isOnePane, useOnePane } from '../lib/one-pane.ts';
import { preferences } from '../lib/preferences.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { Frame } from '../shell/Frame.tsx';
import { useTicketCommands } from '../shell/use-ticket-commands.ts';
import { LaterPane } from '../ticket/LaterPane.tsx';
import { type ListParameters, readPlace, writePlace } from '../tickets/lists.ts';
import { ticketQuery } from '../tickets/queries.ts';
import { findRow, findRowByNumber } from '../tickets/rows.ts';
import { later, soon } from '../ui/later.tsx';
import { showToast } from '../ui/toast.ts';
import { words } from '../words/words.ts';
import type { ChosenTickets } from './Chosen.tsx';
import styles from './InboxPage.module.css';
import { ListPane, type ListPaneHandle } from './ListPane.tsx';
import { markUnread, useSeen } from './use-seen.ts';

const Chosen = later(() => import('./Chosen.tsx'), 'Chosen');
const NothingOpen = soon(() => import('./NothingOpen.tsx'), 'NothingOpen');

type Props = {
  ticketNumber: number | null;
  /** A new ticket is being written in the place of an open one. */
  isNew?: boolean;
};

/** The list and, beside it, the open ticket. */
export function InboxPage({ ticketNumber, isNew = false }: Props) {
  const { workspace, userId, isSure } = usePlace();
  const isNarrow = useOnePane();
  useEffect(() => void (isSure && resumeDrafts(workspace.id, userId)), [isSure, workspace.id, userId]);
  const place = readPlace(useSearch());
  const written = writePlace(place.list, place.viewId);
  const isAlone = ticketNumber === null && !isNew;
  const list = paths.list(written);
  const [, navigate] = useLocation();
  const [composing, setComposing] = useState<ComposerMode>();
  const [chosen, onChosen] = useState<ChosenTickets>();
  const pane = useRef<ListPaneHandle>(null);
  const ticketSection = useRef<HTMLElement>(null);
  const scroll = useRef<HTMLDivElement>(null);
  const shown = useQuery({ ...ticketQuery(workspace.id, ticketNumber ?? 0), enabled: ticketNumber !== null }).data;

  const enterTicket = () => scroll.current?.focus();
  /** Writes, or puts the writing away. The text box takes the focus when it opens; if it is open, it gets it here. */
  const compose = (mode: ComposerMode | undefined) => {
    setComposing(mode);
    if (mode === undefined) enterTicket();
    else if (mode === composing) ticketSection.current?.querySelector<HTMLElement>(textBox)?.focus();
  };
  const onStep = () => setComposing(undefined);
  const { step, leave, goBack, showList } = useWays({ pane, ticketSection, written, onStep });
  useCommands({
    next: () => void step(1),
    previous: () => void step(-1),
    answer: () => compose('answer'),
    note: () => compose('note'),
    back: goBack,
    newTicket: workspace.role === 'viewer' ? undefined : () => navigate(...newTicketFrom(ticketNumber, written)),
    // An open ticket has its own.
    ...(ticketNumber === null && { forward: () => showToast(words('ticket.openFirst')) }),
  });
  useSeen(workspace.id, shown?.trashedAt == null ? shown : undefined);
  // Commands can change a ticket before its messages have loaded.
  const ticket = shown ?? (ticketNumber === null ? undefined : findRowByNumber(workspace.id, ticketNumber));
  useMarkUnread(ticket, showList);
  const onceKnown = useOnceKnown(ticketNumber);
  useTicketCommands({
    ...{ ticket, onceKnown, isTrash: place.list.trash === true },
    selected: () => {
      const chosen = pane.current?.selected() ?? [];
      return chosen.length === 0 && ticketNumber === null ? focusedRow(workspace.id) : chosen;
    },
    changeSelected: (change, changed) => pane.current?.change(change, changed) === true,
    onLeave: leave,
  });

  return (
    <Frame place={place} className={styles.panes ?? ''} data-pane={isAlone ? 'list' : 'ticket'}>
      <ListPane {...{ place, isAlone, onChosen }} ref={pane} openNumber={ticketNumber} onEnterTicket={enterTicket} />
      <section ref={ticketSection} className={styles.ticket} aria-label={words(isNew ? 'new.title' : 'ticket.label')}>
        {isAlone && !isNarrow && <NoTicket chosen={chosen} list={place.list} written={written} />}
        {isNew && <LaterNewTicket listed={written} />}
        {ticketNumber !== null && (
          <LaterPane
            {...{ scroll, composing }}
            number={ticketNumber}
            backTo={list}
            onCompose={compose}
            onLeave={leave}
          />
        )}
      </section>
    </Frame>
  );
}

type NoTicketProps = { chosen: ChosenTickets | undefined; list: ListParameters; written: string };

/** Stands in the place of the ticket while none is open. */
function NoTicket({ chosen, list, written }: NoTicketProps) {
  return chosen === undefined ? <NothingOpen written={written} /> : <Chosen {...chosen} list={list} />;
}

/** Without its chunk, the drafts wait for the next page load, as without a network. */
async function resumeDrafts(workspaceId: string, userId: string): Promise<void> {
  const part = await import('../compose/draft/resume-drafts.ts').catch(() => undefined);
  await part?.resumeDrafts(workspaceId, userId);
}

/** The command that makes the open ticket unread and goes back to the list. */
function useMarkUnread(ticket: Ticket | undefined, onLeave: () => void): void {
  const { workspace } = usePlace();
  useCommands({
    markUnread:
      ticket &&
      (() => {
        void markUnread(workspace.id, ticket.id);
        onLeave();
      }),
  });
}

type WaysOptions = {
  pane: RefObject<ListPaneHandle | null>;
  ticketSection: RefObject<HTMLElement | null>;
  /** The list, as the address writes it. */
  written: string;
  onStep: () => void;
};

/** The ways out of a ticket: a step in the list, on after the ticket is finished, and back to the list. */
function useWays({ pane, ticketSection, written, onStep }: WaysOptions) {
  const [, navigate] = useLocation();
  const step = (by: 1 | -1) => {
    const next = pane.current?.step(by);
    if (next === undefined) return false;
    onStep();
    navigate(paths.ticket(next.ticketNumber, written));
    return true;
  };
  const isInTicket = () => ticketSection.current?.contains(document.activeElement) === true;
  /** Takes the focus along, which the ticket would take with it. */
  const showList = () => {
    if (isInTicket()) pane.current?.focus();
    navigate(paths.list(written));
  };
  /** Goes on after a finished ticket, as the person has chosen: to the next ticket, to the list, or nowhere. */
  const leave = () => {
    const wanted = preferences().afterAction;
    if (wanted === 'stay' || (wanted === 'next' && (step(1) || step(-1)))) return;
    showList();
  };
  const goBack = () => {
    const wasInTicket = isInTicket();
    if (pane.current?.clear() === true) return;
    pane.current?.focus();
    if (!wasInTicket || isOnePane()) navigate(paths.list(written));
  };
  return { step, leave, goBack, showList };
}

/** Lets a key pressed before its ticket has loaded wait for the ticket. Opening another ticket drops the key. */
function useOnceKnown(ticketNumber: number | null) {
  const { workspace } = usePlace();
  const queries = useQueryClient();
  const openNow = useRef(ticketNumber);
  useLayoutEffect(() => {
    openNow.current = ticketNumber;
  }, [ticketNumber]);
  return (use: (ticket: Ticket) => void) => {
    if (ticketNumber === null) return void showToast(words('ticket.openFirst'));
    queries.ensureQueryData(ticketQuery(workspace.id, ticketNumber)).then(
      (known) => openNow.current === ticketNumber && use(known),
      // The page shows the error itself.
      () => undefined,
    );
  };
}

const textBox = '[data-mode] :is(textarea, [contenteditable="true"])';

/** The ticket of the row that has the focus, as a list of one. */
function focusedRow(workspaceId: string): Ticket[] {
  const id = document.activeElement?.closest<HTMLElement>('[data-ticket]')?.dataset.ticket;
  const ticket = id === undefined ? undefined : findRow(workspaceId, id);
  return ticket === undefined ? [] : [ticket];
}

/** The address of a new ticket beside the list, and where Escape leads back to. */
function newTicketFrom(ticketNumber: number | null, written: string) {
  const from = ticketNumber === null ? undefined : paths.ticket(ticketNumber, written);
  return [paths.newTicketBeside(written), { state: { from } }] as const;
}
