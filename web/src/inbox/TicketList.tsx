import { type Ref, type RefObject, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import type { Ticket } from '../api/client.ts';
import type { Density } from '../lib/preferences.ts';
import type { KnownMember } from '../people/MemberFace.tsx';
import { useRestrictedTeams } from '../people/use-names.ts';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { words } from '../words/words.ts';
import type { Selection } from './selection.ts';
import styles from './TicketList.module.css';
import { type RowActions, TicketRow } from './TicketRow.tsx';
import { useCollapse } from './use-collapse.ts';
import { useNewer } from './use-newer.ts';

export type TicketListHandle = { focus: (index: number) => void };

type Props = {
  ref: Ref<TicketListHandle>;
  tickets: Ticket[];
  /** The number of all tickets of the list; undefined while there are more pages. */
  size: number | undefined;
  openNumber: number | null;
  search: string;
  isByTime: boolean;
  selection: Selection;
  tabStop: number;
  density: Density;
  members: ReadonlyMap<string, KnownMember>;
  mailboxNames: ReadonlyMap<string, string>;
  actions: RowActions;
  /** Runs with the index of the last visible row, after each scroll and each change. */
  onVisible: (index: number) => void;
};

const rowHeights: Record<Density, number> = { comfortable: 68, compact: 36 };

export function TicketList(props: Props) {
  const { ref, tickets, size, openNumber, search, isByTime, selection, tabStop, density, actions, onVisible } = props;
  const { members, mailboxNames } = props;
  const restrictedTeams = useRestrictedTeams();
  const list = useRef<VListHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const focusRow = useRowFocus(box, tabStop);
  useImperativeHandle(ref, () => ({
    focus: (index) => {
      list.current?.scrollToIndex(index, { align: 'nearest' });
      focusRow(tickets[index]?.id);
    },
  }));
  useInSight(box, selection);
  useCollapse(box, search, tickets);
  useTop(list, search);
  const [isAtTop, setIsAtTop] = useState(true);
  const newer = useNewer(tickets, isAtTop, isByTime);
  const isPrepended = useIsPrepended(tickets[0]?.id);
  const tellVisible = () => {
    const { current: handle } = list;
    if (handle !== null) onVisible(handle.findItemIndex(handle.scrollOffset + handle.viewportSize));
  };
  useEffect(tellVisible);
  const onScroll = (offset: number) => {
    setIsAtTop(offset < rowHeights[density]);
    tellVisible();
  };
  return (
    <div ref={box} className={styles.box} data-density={density}>
      {newer > 0 && (
        <Button look="primary" className={styles.newer} onClick={() => list.current?.scrollToIndex(0)}>
          <Icon name="up" size={14} />
          {words('list.newer', { count: newer })}
        </Button>
      )}
      <VList
        ref={list}
        className={styles.rows}
        data={tickets}
        itemSize={rowHeights[density]}
        keepMounted={[tabStop]}
        // Keeps the visible rows in place when tickets come in above them.
        shift={!isAtTop && isPrepended}
        onScroll={onScroll}
        role="list"
      >
        {(ticket, index) => (
          <TicketRow
            key={ticket.id}
            ticket={ticket}
            assignee={ticket.assigneeId === null ? undefined : members.get(ticket.assigneeId)}
            mailbox={ticket.mailboxId === null ? undefined : mailboxNames.get(ticket.mailboxId)}
            onlyTeam={ticket.teamId === null ? undefined : restrictedTeams.get(ticket.teamId)}
            index={index}
            size={size}
            search={search}
            isOpen={ticket.ticketNumber === openNumber}
            isSelected={selection.ids.has(ticket.id)}
            isTabStop={index === tabStop}
            isCompact={density === 'compact'}
            actions={actions}
          />
        )}
      </VList>
    </div>
  );
}

/** Another list, even one that is loaded already, begins at its top. */
function useTop(rows: RefObject<VListHandle | null>, search: string): void {
  const shown = useRef(search);
  useLayoutEffect(() => {
    if (shown.current !== search) rows.current?.scrollTo(0);
    shown.current = search;
  }, [rows, search]);
}

function useIsPrepended(first: string | undefined): boolean {
  const before = useRef(first);
  useLayoutEffect(() => {
    before.current = first;
  });
  return before.current !== first;
}

/** Scrolls the first selected row into view: the bar of bulk changes covers the lowest rows. */
function useInSight(box: { current: HTMLDivElement | null }, { ids, anchor }: Selection): void {
  const hasSelected = ids.size > 0;
  useEffect(() => {
    if (hasSelected) box.current?.querySelector(`[data-ticket="${anchor}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [box, hasSelected, anchor]);
}

/** Half a second: after that, the person does something else. */
const framesMax = 30;

/** Moves focus to a row once it is drawn, and to the row in its place when a focused row leaves the list. */
function useRowFocus(box: { current: HTMLDivElement | null }, tabStop: number): (id: string | undefined) => void {
  // The id, not the index: the index may belong to another row by the time that the row is drawn.
  const wanted = useRef<string>(undefined);
  const focused = useRef<Element>(undefined);
  const take = () => {
    const { current: element } = box;
    if (document.activeElement !== document.body && focused.current?.isConnected === false) focused.current = undefined;
    const isLost = focused.current?.isConnected === false;
    if (element === null || (wanted.current === undefined && !isLost)) return;
    const place = wanted.current === undefined ? `[data-index="${tabStop}"]` : `[data-ticket="${wanted.current}"]`;
    const row = element.querySelector<HTMLElement>(`${place} a`);
    if (row === null) return;
    row.focus({ preventScroll: true });
    // A row that is not measured yet is hidden, and takes no focus.
    if (document.activeElement === row) wanted.current = undefined;
  };
  useLayoutEffect(take);
  // The rows of a new list are drawn some frames later, without another render of this component.
  const takeOnceDrawn = (frames: number) =>
    requestAnimationFrame(() => {
      take();
      if (wanted.current !== undefined && frames > 0) takeOnceDrawn(frames - 1);
    });
  useLayoutEffect(() => {
    const { current: element } = box;
    const onIn = ({ target }: FocusEvent) => {
      focused.current = target as Element;
    };
    // Chromium sends this event also for a row that is being removed, and some rows are still in the document then.
    const onOut = ({ target }: FocusEvent) =>
      queueMicrotask(() => {
        if (focused.current === target && focused.current.isConnected) focused.current = undefined;
      });
    element?.addEventListener('focusin', onIn);
    element?.addEventListener('focusout', onOut);
    return () => {
      element?.removeEventListener('focusin', onIn);
      element?.removeEventListener('focusout', onOut);
    };
  }, [box]);
  return (id) => {
    wanted.current = id;
    takeOnceDrawn(framesMax);
  };
}
