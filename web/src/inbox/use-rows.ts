import { useLayoutEffect, useMemo, useRef } from 'react';
import type { Ticket } from '../api/client.ts';
import { useStateOf } from '../lib/use-state-of.ts';
import {
  extend,
  keepOnly,
  nothingSelected,
  type Selection,
  selectAll,
  selectMatching,
  selectTo,
  toggle,
} from './selection.ts';
import type { TicketListHandle } from './TicketList.tsx';

/** @property order the rows at the time, from which the cursor's place is known when its row is gone */
type Cursor = { id: string; order: readonly string[]; openNumber: number | null };

/** The row with the list's tab stop (the cursor), and the selected rows. */
export function useRows(listKey: string, tickets: readonly Ticket[], openNumber: number | null) {
  const handle = useRef<TicketListHandle>(null);
  // Another list begins at its top, unless it has the open ticket.
  const [cursor, setCursor] = useStateOf<Cursor | undefined>(listKey, undefined);
  const [chosen, setSelection] = useStateOf<Selection>(listKey, nothingSelected);
  const newest = useRef<Selection>(undefined);
  useLayoutEffect(() => {
    newest.current = chosen;
    return () => {
      newest.current = undefined;
    };
  }, [chosen]);
  const order = useMemo(() => tickets.map(({ id }) => id), [tickets]);
  const selection = useMemo(() => keepOnly(chosen, new Set(order)), [chosen, order]);
  if (openNumber !== null && cursor?.openNumber !== openNumber) {
    const opened = tickets.find(({ ticketNumber }) => ticketNumber === openNumber);
    if (opened !== undefined) setCursor({ id: opened.id, order, openNumber });
  }
  const at = placeOf(cursor, order, useLastOrder(cursor, order));
  const place = (index: number) => {
    const id = order[index];
    if (id !== undefined && id !== cursor?.id) setCursor({ id, order, openNumber });
  };
  const moveTo = (index: number) => {
    if (order[index] === undefined) return undefined;
    place(index);
    handle.current?.focus(index);
    return tickets[index];
  };
  /** Moves to the next or previous row. If the cursor's ticket has left the list, the next row is in its place. */
  const step = (by: 1 | -1) => moveTo(at.isGone && by === 1 ? at.index : at.index + by);
  return {
    handle,
    selection,
    /** -1 before the cursor was on any row. */
    cursorIndex: at.index,
    tabStop: Math.max(at.index, 0),
    step,
    place,
    focus: () => handle.current?.focus(Math.max(at.index, 0)),
    clear: () => setSelection(nothingSelected),
    selectAll: () => setSelection(selectAll(order)),
    selectMatching: () => setSelection(selectMatching(order)),
    /** Selects these in place of the selection of this render. Returns false if the person has changed it since. */
    replace: (ids: readonly string[]) => {
      if (newest.current !== chosen) return false;
      setSelection({ ids: new Set(ids), anchor: null });
      return true;
    },
    toggle: (id = order[Math.max(at.index, 0)]) => id !== undefined && setSelection(toggle(selection, id)),
    selectTo: (id: string) =>
      setSelection(
        selectTo(selection.anchor === null ? { ...selection, anchor: order[at.index] ?? null } : selection, order, id),
      ),
    extend: (by: 1 | -1) => {
      const from = order[Math.max(at.index, 0)];
      const to = moveTo(Math.max(at.index, 0) + by);
      if (from !== undefined && to !== undefined) setSelection(extend(selection, from, to.id));
    },
  };
}

/** The newest order that has the cursor's row. */
function useLastOrder(cursor: Cursor | undefined, order: readonly string[]): readonly string[] {
  const last = useRef(order);
  useLayoutEffect(() => {
    if (cursor !== undefined && order.includes(cursor.id)) last.current = order;
  }, [cursor, order]);
  return cursor === undefined || last.current.includes(cursor.id) ? last.current : cursor.order;
}

/**
 * The index of the cursor: -1 before it was on any row. Where its ticket has left the list, the next row that is left
 * stands in its place, or the last.
 */
function placeOf(cursor: Cursor | undefined, order: readonly string[], lastOrder: readonly string[]) {
  if (cursor === undefined) return { index: -1, isGone: false };
  const index = order.indexOf(cursor.id);
  if (index !== -1) return { index, isGone: false };
  const left = new Set(order);
  const before = lastOrder.slice(0, lastOrder.indexOf(cursor.id)).filter((id) => left.has(id));
  return { index: Math.min(before.length, order.length - 1), isGone: true };
}
