import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Ticket } from '../api/client.ts';
import { runCommand, useCommands } from '../commands.ts';
import { focusMain, useAskedFocus } from '../lib/asked-focus.ts';
import { usePreferences } from '../lib/preferences.ts';
import { Onboarding } from '../onboarding/Onboarding.tsx';
import { useMembers } from '../people/MemberFace.tsx';
import { usePlace } from '../session/Guard.tsx';
import { openOverlay } from '../shell/overlay.ts';
import { useFollowedBulk } from '../tickets/bulk/followed-bulk.ts';
import { changeTickets, type Outcome, tellRefusals } from '../tickets/changes.ts';
import { type ListPlace, writePlace } from '../tickets/lists.ts';
import type { TicketChange } from '../tickets/ticket-change.ts';
import { useTicketList } from '../tickets/use-ticket-list.ts';
import { later, soon } from '../ui/later.tsx';
import { words } from '../words/words.ts';
import type { ChosenTickets } from './Chosen.tsx';
import { ListHead } from './ListHead.tsx';
import styles from './ListPane.module.css';
import { ListState } from './ListState.tsx';
import { ListTitle } from './ListTitle.tsx';
import { TicketList } from './TicketList.tsx';
import type { RowActions } from './TicketRow.tsx';
import { useHeld } from './use-held.ts';
import { useMailboxNames } from './use-mailbox-names.ts';
import { useNextPage } from './use-next-page.ts';
import { useRows } from './use-rows.ts';
import { useWarmTickets } from './use-warm-tickets.ts';

export type ListPaneHandle = {
  /** Moves to the next or previous row. @returns its ticket, unless the list ends there */
  step: (by: 1 | -1) => Ticket | undefined;
  focus: () => void;
  /** @returns whether anything was selected */
  clear: () => boolean;
  selected: () => readonly Ticket[];
  /** Changes these tickets, if any are selected. @returns whether there are */
  change: (change: TicketChange, tickets: readonly Ticket[]) => boolean;
};

type Props = {
  ref: Ref<ListPaneHandle>;
  place: ListPlace;
  openNumber: number | null;
  /** Nothing is open beside the list. */
  isAlone: boolean;
  onEnterTicket: () => void;
  /** Runs with the selected tickets; undefined without any. */
  onChosen: (chosen: ChosenTickets | undefined) => void;
};

const BulkBar = later(() => import('./BulkBar.tsx'), 'BulkBar');
const BulkProgress = later(() => import('./BulkProgress.tsx'), 'BulkProgress');
const WidthHandle = soon(() => import('./WidthHandle.tsx'), 'WidthHandle');

const none: Ticket[] = [];

/** A list of tickets with its search box, filters, rows, selection and bulk changes. */
export function ListPane({ ref, place, openNumber, isAlone, onEnterTicket, onChosen }: Props) {
  const { workspace } = usePlace();
  const { list, viewId } = place;
  const written = writePlace(list, viewId);
  const { density } = usePreferences();
  const members = useMembers();
  const mailboxNames = useMailboxNames(list);
  const pages = useTicketList(workspace.id, list);
  const { data, hasNextPage } = pages;
  const newest = useMemo(() => data?.pages.flatMap((page) => page.tickets) ?? none, [data]);
  const { tickets, onPointerDown } = useHeld(written, newest);
  const rows = useRows(written, tickets, openNumber);
  const onVisible = useNextPage(pages, tickets.length, rows.cursorIndex);
  const warmHovered = useWarmTickets(workspace.id, tickets, rows.cursorIndex);
  const isSelectable = workspace.role !== 'viewer';
  const { selected, outcome, change, settle, clear } = useSelected(place, tickets, rows);
  const followed = useFollowedBulk(workspace.id);
  const { except } = rows.selection;
  const hasChosen = useTold(onChosen, { tickets: selected, except });
  useImperativeHandle(ref, () => ({ step: rows.step, focus: rows.focus, clear, selected: () => selected, change }));
  useSelectCommands(rows, isSelectable);
  const isEmpty = tickets.length === 0 && data !== undefined && !hasNextPage;
  useAskedFocus(isEmpty ? () => focusEmpty(list) : tickets.length === 0 ? undefined : rows.focus);
  const actions = useStable(
    { onToggle: rows.toggle, onSelectTo: rows.selectTo, onFocus: rows.place, onHover: warmHovered, onEnterTicket },
    isSelectable,
  );
  return (
    <section className={styles.list} aria-label={words('list.tickets')} onPointerDown={onPointerDown}>
      <ListTitle place={place} isPage={isAlone} />
      <ListHead place={place} />
      {tickets.length === 0 && <ListState pages={pages} list={list} />}
      {/* Stays while the next page replaces rows that are all gone, and gives the focus to its first row. */}
      {(tickets.length > 0 || hasNextPage) && (
        <TicketList
          ref={rows.handle}
          tickets={tickets}
          size={hasNextPage ? undefined : tickets.length}
          openNumber={openNumber}
          search={written}
          isByTime={list.sort === undefined && list.order !== 'asc'}
          selection={rows.selection}
          tabStop={rows.tabStop}
          density={density}
          members={members}
          mailboxNames={mailboxNames}
          actions={actions}
          onVisible={onVisible}
        />
      )}
      {/* Below the rows, which stay under the pointer when something appears here. */}
      {followed !== undefined && <BulkProgress key={followed} id={followed} />}
      {hasChosen ? (
        <BulkBar
          tickets={selected}
          outcome={outcome}
          list={list}
          except={except}
          onSelectMatching={selected.length === tickets.length && hasNextPage ? rows.selectMatching : undefined}
          onChange={(fields) => change({ kind: 'fields', fields }, selected)}
          onOutcome={settle}
          onClear={clear}
        />
      ) : (
        <Onboarding hasTickets={tickets.length > 0} />
      )}
      <WidthHandle />
    </section>
  );
}

/** Tells which tickets are selected. @returns whether any are */
function useTold(onChosen: Props['onChosen'], { tickets, except }: ChosenTickets): boolean {
  const hasChosen = tickets.length > 0 || except !== undefined;
  useEffect(() => {
    onChosen(hasChosen ? { tickets, except } : undefined);
  }, [onChosen, hasChosen, tickets, except]);
  return hasChosen;
}

/** A search without results is written again. */
function focusEmpty({ search }: ListPlace['list']): void {
  if (search === undefined) focusMain();
  else runCommand('search');
}

function useSelectCommands(rows: ReturnType<typeof useRows>, isSelectable: boolean): void {
  useCommands(
    isSelectable
      ? {
          select: () => rows.toggle(),
          selectNext: () => rows.extend(1),
          selectPrevious: () => rows.extend(-1),
          selectAll: rows.selectAll,
        }
      : {},
  );
}

/** The selected tickets, and the outcome of their last change. */
function useSelected({ list }: ListPlace, tickets: Ticket[], rows: ReturnType<typeof useRows>) {
  const { workspace } = usePlace();
  const { except } = rows.selection;
  const selected = useMemo(() => tickets.filter(({ id }) => rows.selection.ids.has(id)), [tickets, rows.selection]);
  const [outcome, setOutcome] = useState<Outcome>();
  const listed = useRef(tickets);
  useLayoutEffect(() => {
    listed.current = tickets;
  });
  /** Refused tickets stay selected. A late answer leaves a selection alone that was made since. */
  const settle = (answered: Outcome) => {
    const refused = answered.refusals.map(({ id }) => id);
    const isSelected = rows.replace(refused);
    if (isSelected) setOutcome(answered);
    // Without a selected row there is no bar that tells them.
    if (!isSelected || !refused.every((id) => listed.current.some((ticket) => ticket.id === id)))
      tellRefusals(answered);
  };
  const change = (wanted: TicketChange, changed: readonly Ticket[]) => {
    if (except !== undefined) {
      changeMatching(wanted);
      return true;
    }
    if (selected.length === 0) return false;
    const isTagging = wanted.kind === 'fields' && (wanted.fields.addTags ?? wanted.fields.removeTags) !== undefined;
    void changeTickets(workspace.id, changed, wanted).then((answered) => {
      // The picker of tags stays open for the next one.
      if (isTagging && answered.refusals.length === 0) setOutcome(answered);
      else settle(answered);
    });
    return true;
  };
  const clear = () => {
    setOutcome(undefined);
    rows.clear();
    return selected.length > 0 || except !== undefined;
  };
  const changeMatching = (wanted: TicketChange) => {
    const fields = wanted.kind === 'fields' ? wanted.fields : undefined;
    openOverlay({ kind: 'bulkAll', list, exceptIds: [...(except ?? [])], fields, onDone: clear });
  };
  return { selected, outcome, change, settle, clear };
}

type Functions = Omit<RowActions, 'isSelectable'>;

/**
 * Functions that stay the same between renders, so that unchanged rows are not drawn again. They call the newest
 * functions.
 */
function useStable(newest: Functions, isSelectable: boolean): RowActions {
  const latest = useRef(newest);
  useLayoutEffect(() => {
    latest.current = newest;
  });
  return useMemo(
    () => ({
      isSelectable,
      onToggle: (id) => latest.current.onToggle(id),
      onSelectTo: (id) => latest.current.onSelectTo(id),
      onFocus: (index) => latest.current.onFocus(index),
      onHover: (ticket) => latest.current.onHover(ticket),
      onEnterTicket: () => latest.current.onEnterTicket(),
    }),
    [isSelectable],
  );
}
