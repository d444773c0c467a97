import { useLayoutEffect, useMemo, useRef, useState } from 'react';
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

type Cursor = { id: string; index: number; openNumber: number | null };

/** The row with the list's tab stop (the cursor), and the selected rows. */
export function useRows(listKey: string, tickets: readonly Ticket[], openNumber: number | null) {
  const handle = useRef<TicketListHandle>(null);
  const [cursor, setCursor] = useState<Cursor>();
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
    const index = tickets.findIndex(({ ticketNumber }) => ticketNumber === openNumber);
    const opened = tickets[index];
    if (opened !== undefined) setCursor({ id: opened.id, index, openNumber });
  }
  const at = placeOf(cursor, order);
  const place = (index: number) => {
    const id = order[index];
    if (id !== undefined && id !== cursor?.id) setCursor({ id, index, openNumber });
  };
  const moveTo = (index: number) => {
    if (order[index] === undefined) return undefined;
    place(index);
    handle.current?.focus(index);
    return tickets[index];
  };
  /** Moves to the next or previous row. If the cursor's ticket has left the list, the next row is at its old index. */
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

/** The index of the cursor: -1 before it was on any row, and its old index where its ticket has left the list. */
function placeOf(cursor: Cursor | undefined, order: readonly string[]): { index: number; isGone: boolean } {
  if (cursor === undefined) return { index: -1, isGone: false };
  const index = order.indexOf(cursor.id);
  if (index !== -1) return { index, isGone: false };
  return { index: Math.min(cursor.index, order.length - 1), isGone: true };
}
