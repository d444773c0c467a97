/**
 * The selected tickets, and the ticket where a range begins. With `except`, everything that matches the list is
 * selected but the tickets of `except`, and `ids` has the selected tickets that the list has loaded.
 */
export type Selection = { ids: ReadonlySet<string>; anchor: string | null; except?: ReadonlySet<string> };

export const nothingSelected: Selection = { ids: new Set(), anchor: null };

export function toggle(selection: Selection, id: string): Selection {
  return withTickets(selection, [id], !selection.ids.has(id), id);
}

/** Adds everything between the anchor and the ticket, in the order of the list. */
export function selectTo(selection: Selection, order: readonly string[], id: string): Selection {
  const from = selection.anchor === null ? -1 : order.indexOf(selection.anchor);
  const to = order.indexOf(id);
  if (from === -1 || to === -1) return toggle(selection, id);
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return withTickets(selection, range, true, selection.anchor);
}

/**
 * Extends the selection by a step to a neighbour. A step back to a selected ticket deselects the ticket it came from.
 */
export function extend(selection: Selection, from: string, to: string): Selection {
  if (selection.ids.has(from) && selection.ids.has(to)) return withTickets(selection, [from], false, to);
  return withTickets(selection, [from, to], true, selection.anchor ?? from);
}

export function selectAll(order: readonly string[]): Selection {
  return { ids: new Set(order), anchor: order[0] ?? null };
}

/** Selects everything that matches the list, however much of it is loaded. */
export function selectMatching(order: readonly string[]): Selection {
  return { ...selectAll(order), except: new Set() };
}

/**
 * Deselects tickets that the list no longer has. If everything that matches is selected, selects newly loaded tickets.
 */
export function keepOnly(selection: Selection, ids: ReadonlySet<string>): Selection {
  const { except } = selection;
  if (except !== undefined) return { ...selection, ids: new Set([...ids].filter((id) => !except.has(id))) };
  const kept = [...selection.ids].filter((id) => ids.has(id));
  return kept.length === 0 ? nothingSelected : { ...selection, ids: new Set(kept) };
}

function withTickets(
  { ids, except }: Selection,
  changed: readonly string[],
  isIn: boolean,
  anchor: string | null,
): Selection {
  return { ids: altered(ids, changed, isIn), anchor, ...(except && { except: altered(except, changed, !isIn) }) };
}

function altered(ids: ReadonlySet<string>, changed: readonly string[], isIn: boolean): ReadonlySet<string> {
  const next = new Set(ids);
  for (const id of changed) {
    if (isIn) next.add(id);
    else next.delete(id);
  }
  return next;
}
